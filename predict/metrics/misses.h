/*
 * Misses from reuse distances: fully associative, and set-associative, as blocks fell into sets at
 * the training sizes (set_chances.h) or at random (miss_probability.h). Distances in blocks, counts
 * of touches as real numbers. Cold misses always miss. Thread safe.
 *
 * Needs gsl_set_error_handler_off() once before.
 */
#ifndef FT_PREDICT_METRICS_MISSES_H
#define FT_PREDICT_METRICS_MISSES_H

#include "fit/evaluate/evaluate.h"
#include "predict/metrics/set_chances.h"

struct ft_miss_count {
    double fully_associative;
    double set_associative;
};

/* Misses of a cache of that many blocks, as if it were `scale` times as large: in its sets, or in
 * its ways if there is one set. blocks is a multiple of ways. chances: of these sets; NULL: blocks
 * fall into sets at random. */
struct ft_miss_count ft_count_misses(const struct ft_forecast *forecast, uint64_t blocks,
                                     uint64_t ways, double scale,
                                     const struct ft_set_chances *chances);

#endif
