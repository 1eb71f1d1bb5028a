/*
 * Between which times a scope runs (docs/predict.md, "Time"): at least its schedule, whose memory
 * accesses then are all hidden, evenly divided among its threads; at most all its latencies, where
 * nothing overlaps, and its page faults, where these are estimated. Each bound includes the
 * interval of what it is computed from. No estimate: what overlaps is not known.
 */
#ifndef FT_PREDICT_TIME_BOUNDS_H
#define FT_PREDICT_TIME_BOUNDS_H

#include "predict/prediction.h"

/* NAN where a bound is unknown. The lower one needs no misses, so it is known where they are not.
 */
struct ft_time_bounds {
    double least_seconds, most_seconds;
};

/* Of a scope with the loops inside it; scope 0 is the program. */
struct ft_time_bounds ft_time_bounds_of(const struct ft_prediction *prediction, size_t scope);

/* Cycles of a scope if nothing overlapped: what it may take, to weigh scopes. */
static inline double ft_serial_cycles(const struct ft_prediction *prediction, size_t scope)
{
    return prediction->inclusive[scope * prediction->width + FT_METRIC_SERIAL_CYCLES];
}

#endif
