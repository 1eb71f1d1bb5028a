/*
 * The smallest inputs of a set of programs that show all their miss ratios (Zhong et al. 2007,
 * section 4.3.2; Eeckhout et al. 2002): every size of every curve has ratios that are alike those
 * of an input that was chosen and makes no more accesses, in all caches at once; and no chosen one
 * is alike another that is cheaper.
 *
 * All curves are of the same caches and were sampled with a resolution of half of `within` or
 * better. Cheaper: fewer accesses, which must grow with size.
 */
#ifndef FT_PREDICT_QUERY_MINI_SET_H
#define FT_PREDICT_QUERY_MINI_SET_H

#include "predict/query/miss_curve.h"

struct ft_chosen_input {
    size_t curve;
    double *sample; /* as in the curve, owned */
};

struct ft_mini_set {
    struct ft_chosen_input *inputs; /* the cheapest first */
    size_t count, capacity;
};

int ft_mini_set(struct ft_miss_curve *curves, size_t curve_count, double within,
                struct ft_mini_set *ret_set, struct ft_diag *diag);
void ft_mini_set_fini(struct ft_mini_set *set);

#endif
