/*
 * Which training sizes the replicas of a model are fitted without (the jackknife), and the axes
 * without them. With one parameter, each size in turn; with several, all sizes with one value of a
 * parameter: as long as other sizes have that value, leaving one out shows nothing of how forecasts
 * depend on it.
 *
 * Axes are immutable after init and may be shared by threads.
 */
#ifndef FT_FIT_FUNCTIONS_LEAVE_OUT_AXES_H
#define FT_FIT_FUNCTIONS_LEAVE_OUT_AXES_H

#include "fit/functions/axis.h"

#define FT_LEAVE_OUT_MAX 8U /* sets of sizes, without the last */

/* Sets of sizes, of which bit k is size k. */
struct ft_left_out_sets {
    uint64_t sizes[FT_LEAVE_OUT_MAX + 1];
    size_t count; /* 0: so few sizes that none can be left out */
};
/* Of one parameter: the largest sizes, ascending, as many as there is room for. Of several: the
 * largest values of each that has three or more, without which the others still differ in every
 * parameter; those of the first parameter last. So the last set is the largest value. */
struct ft_left_out_sets ft_left_out_sets_of(const struct ft_axis *axis);

/* Whether the sizes without those of a set have two values at least of each parameter. */
bool ft_left_out_is_spared(const struct ft_axis *axis, uint64_t sizes);

/* An axis, and the same without each of the sets: so many, and last the largest. */
struct ft_leave_out_axes {
    const struct ft_axis *all; /* not owned */
    struct ft_left_out_sets sets;
    size_t count; /* of the sets without the last */
    struct ft_axis without[FT_LEAVE_OUT_MAX + 1];
};
/* There must be a set. */
int ft_leave_out_axes_init(struct ft_leave_out_axes *axes, const struct ft_axis *axis,
                           const struct ft_left_out_sets *sets, struct ft_diag *diag);
void ft_leave_out_axes_fini(struct ft_leave_out_axes *axes);

#endif
