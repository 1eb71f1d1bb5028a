/*
 * Where a miss curve changes (Zhong et al. 2007, sections 2.2 and 3.2.1; Marin & Mellor-Crummey
 * 2004, section 2.4): the critical sizes, at which its ratio jumps or climbs steeply; its largest
 * ratio and the threshold size from which on it is reached; the ranges of sizes in which a hit
 * ratio holds; up to which size the data fit.
 *
 * Curves must have been sampled (miss_curve.h). Lists are the caller's, to be freed. Sizes are
 * exact: their neighbours differ in the property.
 */
#ifndef FT_PREDICT_QUERY_CRITICAL_SIZES_H
#define FT_PREDICT_QUERY_CRITICAL_SIZES_H

#include "predict/query/miss_curve.h"

struct ft_critical_size {
    double last_before, first_after; /* sizes; neighbours where the ratio jumps */
    double before, after;            /* the ratio there */
    uint32_t scope;                  /* whose misses change most */
    double scope_share;              /* exclusive share of the change */
};

int ft_critical_sizes(struct ft_miss_curve *curve, size_t cache,
                      struct ft_critical_size **ret_sizes, size_t *ret_count, struct ft_diag *diag);

/* within: the relative difference from the largest ratio that counts as reached. */
struct ft_largest_ratio {
    double ratio;
    double threshold; /* the smallest size of the line that reaches it; where that is the last one,
                         larger sizes may miss more */
};
int ft_largest_ratio(struct ft_miss_curve *curve, size_t cache, double within,
                     struct ft_largest_ratio *ret_largest, struct ft_diag *diag);

/* T_s of Zhong et al. (equation 4): the smallest size at which the distance of every part that
 * grows has reached the cache, which is f^-1((C - c) / e) of the part that gets there last. By the
 * functions themselves, not by a change of the ratio, which goes on changing a little for ever; so
 * it may lie beyond the line. NAN where no distance grows, INFINITY where one never gets there.
 * Of models of --method patterns: others have parts that grow by chance. */
double ft_threshold_input(const struct ft_miss_curve *curve, size_t cache);

struct ft_size_range {
    double first, last;
};
/* The ranges in which the miss ratio is at most ratio_max, by ascending size. */
int ft_holding_sizes(struct ft_miss_curve *curve, size_t cache, double ratio_max,
                     struct ft_size_range **ret_ranges, size_t *ret_count, struct ft_diag *diag);

/* The largest size of the line whose distinct blocks fit the cache; false: not even the smallest.
 * Footprints do not fall with size. */
bool ft_largest_fitting(const struct ft_miss_curve *curve, size_t cache, double *ret_size);

#endif
