/*
 * The bins of a modelled histogram while a method makes them, from the nearest distance to the
 * farthest: the same ones for the model and for each version of it without a size.
 */
#ifndef FT_FIT_METHODS_BINS_H
#define FT_FIT_METHODS_BINS_H

#include "fit/methods/method.h"

/* Members that are being made: the model's, then those without a size. */
struct ft_bins {
    struct ft_fit_member *members;
    size_t left_out; /* how many of the latter */
    size_t capacity, likely;
};
struct ft_bins ft_bins_of(const struct ft_fit_task *task, struct ft_fit_member *members);
/* A function, and the same without each size that is left out. */
struct ft_functions {
    const struct ft_function *all, *without;
};
/* Appends a bin; a bin of the same distance takes it in. */
int ft_bins_append(struct ft_bins *bins, struct ft_functions tail,
                   struct ft_functions distance_blocks, struct ft_diag *diag);

#endif
