/*
 * Tail counts at matched gaps: histograms of affine loops are made of modes (reuse in the line, in
 * the row, in the plane...) with empty ranges between them. One that is found at all sizes
 * is a cut whose tail, a plain count, is fitted for itself; a miss count at a capacity inside a
 * range is then that one function. Only inside modes is the median ratio used (split_bins.h).
 */
#ifndef FT_FIT_METHODS_MODES_H
#define FT_FIT_METHODS_MODES_H

#include "fit/methods/method.h"

extern const struct ft_fit_method ft_modes_method; /* "modes" */

#endif
