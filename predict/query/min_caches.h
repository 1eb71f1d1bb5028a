/*
 * For every block size of a model the smallest fully associative cache that misses at most a share
 * of the accesses at one size, with intervals by the rules of `predict`
 * (predict/intervals/spread.h).
 *
 * Exact for the forecast: with one block less it misses more. Needs gsl_set_error_handler_off()
 * once before; the model must outlive the result.
 */
#ifndef FT_PREDICT_QUERY_MIN_CACHES_H
#define FT_PREDICT_QUERY_MIN_CACHES_H

#include "formats/model/query_point.h"
#include "predict/intervals/interval.h"
#include "predict/query/whole_histogram.h"

struct ft_min_caches {
    const struct ft_model *model;
    double n;
    bool reuse;                        /* first touches are left out */
    struct ft_whole_histogram *wholes; /* [size_count of the model] */
    double *row;                       /* accesses, then bytes by block size; NAN: none does */
    struct ft_interval *intervals;     /* of the same */
};

int ft_min_caches(const struct ft_model *model, double miss_ratio, bool reuse,
                  const struct ft_query_point *size, struct ft_min_caches *ret_min,
                  struct ft_diag *diag);
void ft_min_caches_fini(struct ft_min_caches *caches);

#endif
