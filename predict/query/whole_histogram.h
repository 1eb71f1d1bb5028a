/*
 * The whole program at one size: the forecast histograms of all groups in one, so that any capacity
 * is a search (Mattson et al. 1970). Start from {0} and reuse it; fini frees it. Touches and
 * distances are real numbers. Thread safe on one model.
 */
#ifndef FT_PREDICT_QUERY_WHOLE_HISTOGRAM_H
#define FT_PREDICT_QUERY_WHOLE_HISTOGRAM_H

#include "fit/evaluate/evaluate.h"

struct ft_whole_histogram {
    struct ft_forecast all; /* bins of all groups, by growing distance */
    double *tails; /* [bin_count + 1]: touches of a bin and all farther ones; 0 at the end */
    size_t tail_capacity;
    struct ft_forecast group;  /* scratch */
    const double *miss_scales; /* [scope]: touches of its groups, as a factor; NULL: as they are */
};

/* block_size indexes model->block_bytes. Fails only where memory runs out. */
int ft_whole_evaluate(const struct ft_model *model, size_t block_size, const struct ft_point *at,
                      struct ft_whole_histogram *whole, struct ft_diag *diag);
void ft_whole_fini(struct ft_whole_histogram *whole);

/* Misses of a fully associative cache, first touches included. */
double ft_whole_misses(const struct ft_whole_histogram *whole, double capacity_blocks);
/* The fewest blocks with which a fully associative cache misses at most that often; false if no
 * cache does, because there are more first touches. */
bool ft_whole_min_blocks(const struct ft_whole_histogram *whole, double misses, double *ret_blocks);
/* The same for a miss ratio, without first touches where `reuse` is set. */
bool ft_whole_min_cache(const struct ft_whole_histogram *whole, double miss_ratio, bool reuse,
                        double *ret_blocks);

#endif
