/*
 * Rows of a forecast as the heap has the program's footprint at the size (metrics/heap_sizes.h). A
 * cache or a TLB that holds all that the program touches misses what it touches first; every level
 * misses at least that. Where the heap tells nothing, what is unknown of a level that holds one
 * and a half times what the laws of footprints allow is no more than these.
 */
#ifndef FT_PREDICT_FOOTPRINT_ROWS_H
#define FT_PREDICT_FOOTPRINT_ROWS_H

#include "predict/intervals/interval.h"
#include "predict/metrics/heap_sizes.h"
#include "predict/metrics/metrics.h"

struct ft_footprint_rows {
    const struct ft_metrics *metrics;
    double *exclusive, *inclusive; /* [scope * width of the metrics] */
    struct ft_interval *intervals; /* of inclusive */
    enum ft_misses_by *misses_by;  /* [column] */
};

/* A number by synthesis that the footprint allows is left to it. is_held: [level], zero before: all
 * that the program touches fits, and its misses are known. */
int ft_footprint_rows_set(const struct ft_footprint_rows *rows, const struct ft_heap_sizes *sizes,
                          bool *is_held, struct ft_diag *diag);

#endif
