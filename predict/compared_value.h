/*
 * Metrics by which forecasts, and measurements of one program, are compared, and their values with
 * intervals: of a prediction here, of traces and histograms in predict/diff/. Plain values.
 */
#ifndef FT_PREDICT_COMPARED_VALUE_H
#define FT_PREDICT_COMPARED_VALUE_H

#include "predict/prediction.h"

/* FT_SHOW_MISSES and FT_SHOW_FULL_MISSES are of the level of that name, set-associative and fully
 * associative. */
enum ft_shown {
    FT_SHOW_TIME,
    FT_SHOW_ACCESSES,
    FT_SHOW_INSTRUCTIONS,
    FT_SHOW_MISSES,
    FT_SHOW_FULL_MISSES
};
struct ft_shown_metric {
    enum ft_shown kind;
    const char *level; /* a view of a machine's; NULL without a level */
};

/* Its column in rows of a prediction; SIZE_MAX for time, and a level that the machine lacks. */
size_t ft_shown_metric_column(const struct ft_shown_metric *metric,
                              const struct ft_prediction *prediction);

/* A value with its interval; all NAN where it is unknown, but for the bounds of a time. Both ends
 * NAN: how sure it is is unknown. */
struct ft_compared_value {
    double value, low, high;
};

/* Of a scope with the loops nested in it; scope 0: of the program. */
struct ft_compared_value ft_compared_value_of(const struct ft_prediction *prediction, size_t scope,
                                              const struct ft_shown_metric *metric);
/* Of a scope exclusive of nested ones; NAN: unknown. */
double ft_compared_exclusive_of(const struct ft_prediction *prediction, size_t scope,
                                const struct ft_shown_metric *metric);

#endif
