/*
 * Zhong, Dropsho, Shen, Studer & Ding 2007, section 3: the touches of every size in 1,000 groups of
 * equal share by rising distance; the distance of each is c + e f(s), one of five patterns
 * f = 0, s^(1/3), s^(1/2), s^(2/3), s of the data size s, in models over a parameter as well. Two
 * sizes are enough, as in the paper; nothing tells how sure the forecast is then.
 */
#ifndef FT_FIT_METHODS_PATTERNS_H
#define FT_FIT_METHODS_PATTERNS_H

#include "fit/methods/method.h"

extern const struct ft_fit_method ft_patterns_method; /* "patterns" */

/* The patterns. */
#define FT_PATTERN_TERMS "s^(1/3),s^(1/2),s^(2/3),s"
/* The terms that models over the footprint are made of: the patterns, and what counts need. */
#define FT_FOOTPRINT_TERMS "s^(1/3),s^(1/2),s^(2/3),s,s*log2(s),s^(4/3),s^(3/2),s^2"

#endif
