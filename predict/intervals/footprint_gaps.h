/*
 * What footprints in blocks of one size say of those in another. A block holds as many of the
 * smaller ones as fit in it, so that its footprint grows by at least their share of what theirs
 * grows. Each size has a function of its own, and a term that a small one shows, such as a list
 * that grows like n^2 with a constant of 1e-5, may be within the rounding of a larger one.
 */
#ifndef FT_PREDICT_INTERVALS_FOOTPRINT_GAPS_H
#define FT_PREDICT_INTERVALS_FOOTPRINT_GAPS_H

#include "formats/model/model.h"

/* How many blocks more than its function says a footprint may have at a point beyond the largest
 * training size: gaps[block size of the model]. */
void ft_footprint_gaps(const struct ft_model *model, const struct ft_point *at, double *gaps);

#endif
