/*
 * Synthesis (synthetic_rows.h) in the place of histograms, number by number, where it is surer
 * (docs/predict.md, "Synthesis"). Its errors are counted, not estimated: each access that only one
 * of program and synthesis makes may miss, and may displace a block that another one needs.
 */
#ifndef FT_PREDICT_SYNTHETIC_CHOICE_H
#define FT_PREDICT_SYNTHETIC_CHOICE_H

#include "predict/intervals/interval.h"
#include "predict/metrics/metrics.h"
#include "predict/synthetic_rows.h"

/* What is forecast by histograms, and then by both: rows and intervals of metrics.h. */
struct ft_chosen_rows {
    const struct ft_metrics *metrics;
    double *exclusive, *inclusive; /* [scope * width + column] */
    struct ft_interval *intervals; /* of inclusive */
    enum ft_misses_by *misses_by;  /* [column]: of the program's inclusive row */
};

int ft_synthetic_choose(const struct ft_synthetic_rows *synthetic, struct ft_chosen_rows *rows,
                        struct ft_diag *diag);

#endif
