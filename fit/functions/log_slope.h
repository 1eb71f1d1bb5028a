/*
 * How fast values grow with the size: the slope of log y over log n, by least squares, as an
 * exponent of n. Values of 0 are left out.
 */
#ifndef FT_FIT_FUNCTIONS_LOG_SLOPE_H
#define FT_FIT_FUNCTIONS_LOG_SLOPE_H

#include "fit/functions/axis.h"

/* Whether y[first..axis count) may grow like a term of the basis: within three standard errors.
 * True of fewer than three values. */
bool ft_log_slope_agrees(const struct ft_axis *axis, const double *y, size_t first, size_t term);

/* Whether y grows nearer to one order more than the term. A narrow range of sizes does not tell
 * these by the errors of fits: three terms of either meet five values. */
bool ft_log_slope_is_steeper(const struct ft_axis *axis, const double *y, size_t first,
                             size_t term);

#endif
