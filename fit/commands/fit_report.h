/*
 * How well a model fits what it was trained with: for the program and each group, at each block
 * size, the errors at the training sizes; at each of them as forecast by the replica that was
 * fitted without it; and at the largest one, forecast without it (docs/fit.md, "How sure a model
 * is").
 */
#ifndef FT_FIT_COMMANDS_FIT_REPORT_H
#define FT_FIT_COMMANDS_FIT_REPORT_H

#include <stdbool.h>
#include <stdio.h>

#include "fit/commands/group_label.h"
#include "fit/matching/match.h"
#include "formats/model/model.h"

/* Means over sizes (tail_curve.h); NAN: no replica tells. */
struct ft_fit_score {
    double error;    /* of the misses */
    double accuracy; /* Zhong's, 0 to 1 */
};

struct ft_fit_row {
    size_t group; /* of the model, or FT_WHOLE_PROGRAM */
    size_t block_size;
    double share; /* of the program's accesses at the largest size */
    struct ft_fit_score training, left_out, largest;
};

struct ft_fit_report {
    struct ft_fit_row *rows; /* the program first, then the groups with most accesses */
    size_t count;
};

/* match: as the fit found it. entries: those that the model was fitted to, in any order; the one
 * whose scope tree moved into the model has none any more. */
int ft_fit_report_make(const struct ft_model *model, const struct ft_match *match,
                       const struct ft_histograms *entries, size_t entry_count,
                       struct ft_fit_report *ret_report, struct ft_diag *diag);
void ft_fit_report_fini(struct ft_fit_report *report);

/* As text, the program and at most group_max groups; as CSV, all of them. */
int ft_fit_report_print(const struct ft_fit_report *report, const struct ft_model *model, bool csv,
                        size_t group_max, FILE *stream, struct ft_diag *diag);

#endif
