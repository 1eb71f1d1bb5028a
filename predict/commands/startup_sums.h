/*
 * What start-up and exit code has together (startup_fold.h): sums of a forecast's values over the
 * routines that are folded, and of the ends of their intervals, as if all were off to the same
 * side.
 */
#ifndef FT_PREDICT_COMMANDS_STARTUP_SUMS_H
#define FT_PREDICT_COMMANDS_STARTUP_SUMS_H

#include "formats/commands/startup_fold.h"
#include "predict/intervals/interval.h"

struct ft_startup_sums {
    double *values; /* [width] */
    struct ft_interval *intervals;
};

/* values, intervals: [scope * width + column], inclusive. */
int ft_startup_sums_init(struct ft_startup_sums *sums, const struct ft_startup_fold *fold,
                         const double *values, const struct ft_interval *intervals, size_t width,
                         struct ft_diag *diag);
void ft_startup_sums_fini(struct ft_startup_sums *sums);

#endif
