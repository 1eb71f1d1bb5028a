/*
 * Misses and miss ratios of a model's accesses in given caches at one size, with their intervals by
 * the rules of `predict` (predict/intervals/spread.h): so both say the same of the same cache.
 *
 * Counts are real numbers, ratios from 0 to 1. The model must have the caches' block sizes. Needs
 * gsl_set_error_handler_off() once before.
 */
#ifndef FT_PREDICT_QUERY_MISS_RATIOS_H
#define FT_PREDICT_QUERY_MISS_RATIOS_H

#include "formats/model/query_point.h"
#include "machines/machine.h"
#include "predict/intervals/interval.h"

/* What is known of a cache. */
enum ft_miss_metric {
    FT_MISSES,
    FT_COLD_MISSES,      /* of them, first touches */
    FT_MISS_RATIO,       /* of all accesses */
    FT_REUSE_MISS_RATIO, /* without first touches, of accesses without them */
    FT_MISS_METRICS
};

struct ft_miss_ratios {
    double *row;                   /* accesses, then the figures of each cache */
    struct ft_interval *intervals; /* of the same */
};

/* The place of a cache's figure in a row. */
static inline size_t ft_miss_column(size_t cache, enum ft_miss_metric metric)
{
    return 1 + cache * FT_MISS_METRICS + metric;
}

/* in_sets: else fully associative. The caller frees what is returned. */
int ft_miss_ratios(const struct ft_model *model, const struct ft_machine *caches, bool in_sets,
                   const struct ft_query_point *size, struct ft_miss_ratios *ret_ratios,
                   struct ft_diag *diag);
void ft_miss_ratios_fini(struct ft_miss_ratios *ratios);

#endif
