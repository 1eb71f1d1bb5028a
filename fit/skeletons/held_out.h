/*
 * How well the skeletons of smaller sizes make the accesses of the largest training size: these are
 * replayed, and their misses compared with those of its trace, scope by scope, in fully associative
 * caches of all powers of two. Most errors are 0, as laws are exact; those of irregular loops, and
 * of loops that take other paths, are not.
 */
#ifndef FT_FIT_SKELETONS_HELD_OUT_H
#define FT_FIT_SKELETONS_HELD_OUT_H

#include "fit/skeletons/sized_skeleton.h"
#include "formats/histograms/histograms.h"

/* Sets the errors of a skeleton learned from these. largest: the histograms of its largest size's
 * trace, whose scopes are its scopes. Nothing is held out where there are fewer than four sizes, or
 * the smaller ones do not reach the largest. */
int ft_sized_skeleton_hold_out(struct ft_sized_skeleton *sized,
                               const struct ft_skeleton *const *skeletons, const double *sizes,
                               const struct ft_histograms *largest, struct ft_diag *diag);

#endif
