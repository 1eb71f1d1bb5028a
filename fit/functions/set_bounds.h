/*
 * How well all sets of terms fit at best, without regard to shape: bounds below what plain fits
 * (plain_fit.h) give, from one walk along all sets. Sets that begin with the same terms share what
 * is left of values and columns once these are taken out (as in Furnival & Wilson's "Regressions by
 * leaps and bounds", Technometrics 16, 1974, but of columns, not of their products: squaring loses
 * half of the digits).
 *
 * A tree of the sets belongs to an axis and is used by one thread at a time.
 */
#ifndef FT_FIT_FUNCTIONS_SET_BOUNDS_H
#define FT_FIT_FUNCTIONS_SET_BOUNDS_H

#include "fit/functions/plain_fit.h"

struct ft_set_bound {
    double square_sum; /* of the relative errors */
    double held_out;   /* the same without the last row, which is left out; 0: not known */
};

struct ft_set_tree;
int ft_set_tree_create(const struct ft_axis *axis, struct ft_set_tree **ret_tree,
                       struct ft_diag *diag);
void ft_set_tree_destroy(struct ft_set_tree *tree);

/* bounds[set] of the axis's sets of at most term_max terms that are all in `allowed`, but not all
 * in `known`, whose bounds the caller has. Others, and those whose terms are (nearly) dependent,
 * are left unchanged. weighted must have the allowed terms. */
void ft_set_tree_bound(struct ft_set_tree *tree, const struct ft_weighted_values *weighted,
                       uint32_t allowed, uint32_t known, size_t term_max,
                       struct ft_set_bound *bounds);

#endif
