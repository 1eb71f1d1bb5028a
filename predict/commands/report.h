/*
 * Predictions, and the check beside one where there is one, as text, CSV or JSON
 * (docs/json.md, "predict"). Several, of one program at several sizes or on several machines, are
 * reports one after the other as text, one table as CSV, and a list as JSON. They are compared in
 * comparison.h.
 */
#ifndef FT_PREDICT_COMMANDS_REPORT_H
#define FT_PREDICT_COMMANDS_REPORT_H

#include <stdio.h>

#include "formats/commands/startup_fold.h"
#include "predict/check.h"

struct ft_report {
    const struct ft_prediction *prediction;
    const struct ft_check *check; /* NULL: none */
    const uint32_t *list;         /* scopes to show, as ft_scopes_select gives them */
    size_t count;
    const struct ft_startup_fold
        *startup; /* routines that are not in the list, but folded; NULL: none */
};

int ft_report_text(const struct ft_report *report, FILE *stream, struct ft_diag *diag);
int ft_reports_csv(const struct ft_report *reports, size_t report_count, FILE *stream,
                   struct ft_diag *diag);
int ft_reports_json(const struct ft_report *reports, size_t report_count, FILE *stream,
                    struct ft_diag *diag);

/* "N = 400, M = 5" */
#define FT_REPORT_POINT_TEXT 256
char *ft_report_model_point_text(char text[FT_REPORT_POINT_TEXT], const struct ft_model *model,
                                 double value);
char *ft_report_point_text(char text[FT_REPORT_POINT_TEXT], const struct ft_prediction *prediction);

#endif
