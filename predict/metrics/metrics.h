/*
 * What a model predicts at a point for every scope on a machine: rows of metrics, one row per
 * scope, with the FT_METRIC_COUNT columns below, then for each level of the machine its misses,
 * fully associative and set-associative. Real numbers: they are forecasts. Thread safe on one
 * model.
 *
 * Needs gsl_set_error_handler_off() once before.
 */
#ifndef FT_PREDICT_METRICS_METRICS_H
#define FT_PREDICT_METRICS_METRICS_H

#include "fit/evaluate/evaluate.h"
#include "machines/machine.h"
#include "predict/metrics/set_conflicts.h"

enum ft_metric {
    FT_METRIC_ACCESSES,
    FT_METRIC_INSTRUCTIONS,
    FT_METRIC_FLOPS,
    FT_METRIC_SCHEDULE_CYCLES, /* lower bound; inclusive: the sum of those of nested scopes */
    FT_METRIC_MEMORY_CYCLES,   /* the exposed share of the latencies of set-associative misses */
    FT_METRIC_SERIAL_CYCLES,   /* if nothing overlapped: all latencies, one after the other */
    FT_METRIC_COUNT
};

/* The columns of the misses in a level. */
static inline size_t ft_fully_assoc_column(size_t level)
{
    return FT_METRIC_COUNT + 2 * level;
}
static inline size_t ft_set_assoc_column(size_t level)
{
    return FT_METRIC_COUNT + 2 * level + 1;
}
/* What the misses of a column are forecast by. */
enum ft_misses_by {
    FT_BY_HISTOGRAMS,
    FT_BY_SYNTHESIS,
    FT_BY_FOOTPRINT, /* all that the program touches fits */
};
/* "histograms", "synthesis", "footprint". */
const char *ft_misses_by_name(enum ft_misses_by by);

/* Columns of a row. */
static inline size_t ft_metrics_width(const struct ft_machine *machine)
{
    return FT_METRIC_COUNT + 2 * machine->level_count;
}

struct ft_metrics {
    const struct ft_model *model; /* with the machine's block sizes */
    const struct ft_machine *machine;
    struct ft_point at;
    bool dirty_memory;
    const double *capacity_scales; /* [level]: the capacity, as if it were so many times larger;
                                      NULL: as it is */
    const double *miss_scales;     /* [scope]: what its groups miss, as a factor; NULL: as it is */
    enum ft_set_spread set_spread; /* how blocks fall into sets; not at random: as it is, whatever
                                      capacity_scales say */
};

/* The exclusive metrics of scopes: rows[scope * width + column], all zero before. */
int ft_metrics_exclusive(const struct ft_metrics *metrics, double *rows, struct ft_diag *diag);
/* Adds to each scope the loops inside it (not the routines that it calls). */
void ft_metrics_make_inclusive(const struct ft_metrics *metrics, double *rows);

#endif
