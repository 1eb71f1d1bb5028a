/*
 * Tail counts at matched gaps: histograms of affine loops consist of modes (reuse in the line, in
 * the row, in the plane...) with empty ranges between them. A gap that is found at all sizes is a
 * cut whose tail, a plain count, has a function of its own, which is the miss count of every
 * capacity inside the gap. Only inside modes is the median ratio used (split_bins.h).
 */
#ifndef FT_FIT_METHODS_MODES_H
#define FT_FIT_METHODS_MODES_H

#include "fit/methods/method.h"

extern const struct ft_fit_method ft_modes_method; /* "modes" */

#endif
