/*
 * Parts of a prediction's report as text (report_text.c).
 */
#ifndef FT_PREDICT_COMMANDS_REPORT_PARTS_H
#define FT_PREDICT_COMMANDS_REPORT_PARTS_H

#include "formats/cli/table.h"
#include "predict/commands/report.h"
#include "predict/commands/startup_sums.h"

static inline const double *ft_report_row(const struct ft_report *report, size_t scope)
{
    return report->prediction->inclusive + scope * report->prediction->width;
}

static inline const struct ft_interval *ft_report_intervals(const struct ft_report *report,
                                                            size_t scope)
{
    return report->prediction->intervals + scope * report->prediction->width;
}

static inline bool ft_report_folds_startup(const struct ft_report *report)
{
    return report->startup && report->startup->count > 0;
}
/* Of the routines that are folded. */
int ft_report_startup_sums(const struct ft_report *report, struct ft_startup_sums *ret_sums,
                           struct ft_diag *diag);

/* Whether the model tells misses of routines and loops: one of whole programs does not. */
bool ft_report_has_loops(const struct ft_report *report);

/* The scope that takes most time without those nested in it. The prediction has times. */
uint32_t ft_report_slowest(const struct ft_prediction *prediction);

/* Writes a table and frees it. */
int ft_report_finish(struct ft_table *table, FILE *stream, struct ft_diag *diag);

/* "multiply (matmul.c:8-15)": a routine, or a loop in one; shortened where there is no room. */
#define FT_REPORT_SCOPE_TEXT 256
char *ft_report_scope_text(char text[FT_REPORT_SCOPE_TEXT], const struct ft_scopes *scopes,
                           uint32_t index);

/* What was asked for, what it comes to, where the time may go, and what it was learned from. */
int ft_report_answer_print(const struct ft_report *report, FILE *stream, struct ft_diag *diag);
/* Its last sentence: the training sizes, how far beyond them, and how well the largest is forecast
 * without it. */
int ft_report_learned_print(const struct ft_report *report, FILE *stream, struct ft_diag *diag);
/* What the model does not know, or was not shown: at most three notes, each with what to do;
 * further ones are counted. */
int ft_report_notes_print(const struct ft_report *report, FILE *stream, struct ft_diag *diag);
size_t ft_report_notes_count(const struct ft_report *report);
/* Predicted beside simulated. */
int ft_report_check_print(const struct ft_report *report, FILE *stream, struct ft_diag *diag);

#endif
