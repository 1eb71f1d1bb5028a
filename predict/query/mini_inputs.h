/*
 * Small inputs that stand for larger ones (Zhong et al. 2007, section 4.3.2; Eeckhout et al. 2002),
 * by the miss ratios in all caches of a curve at once. Ratios are alike if they differ by at most
 * `within` of the reference's, or by a thousandth. Curves must have been sampled with a resolution
 * of half of `within` or better.
 */
#ifndef FT_PREDICT_QUERY_MINI_INPUTS_H
#define FT_PREDICT_QUERY_MINI_INPUTS_H

#include "predict/query/miss_curve.h"

/* Whether a sample's ratios are alike those of a reference in all caches. */
bool ft_miss_ratios_alike(const struct ft_miss_curve *curve, const double *sample,
                          const double *reference, double within);

/* The smallest size of the line from which up to `reference` all ratios are alike those of the
 * reference. */
int ft_mini_ref(struct ft_miss_curve *curve, double reference, double within, double *ret_size,
                struct ft_diag *diag);

struct ft_chosen_input {
    size_t curve;
    double *sample; /* as in the curve, owned */
};

struct ft_mini_set {
    struct ft_chosen_input *inputs; /* the cheapest first */
    size_t count, capacity;
};

/* The smallest inputs that show all miss ratios of several programs: every size of every curve has
 * ratios that are alike those of a chosen input that is no more expensive, and no chosen input is
 * alike a cheaper one. Cheaper: fewer accesses, which must grow with size. All curves are of the
 * same caches. */
int ft_mini_set(struct ft_miss_curve *curves, size_t curve_count, double within,
                struct ft_mini_set *ret_set, struct ft_diag *diag);
void ft_mini_set_fini(struct ft_mini_set *set);

#endif
