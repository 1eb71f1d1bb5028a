/*
 * The levels of a machine as they work together (engine/simulate/hierarchy/hierarchy.h) at a size
 * that never ran: the accesses that a model's skeleton makes go through them (docs/predict.md,
 * "Hierarchies"). There is no other way to forecast them: what the skeleton does not explain makes
 * intervals wider, until values are unknown. Instruction levels are left out, as no fetches are
 * made.
 */
#ifndef FT_PREDICT_HIERARCHY_FORECAST_H
#define FT_PREDICT_HIERARCHY_FORECAST_H

#include "engine/simulate/hierarchy/hierarchy_rows.h"
#include "predict/prediction.h"

/* Of the program alone: blocks that the last caches read from memory and wrote to it, then for each
 * level its events. */
enum { FT_TOTAL_MEMORY_READS, FT_TOTAL_MEMORY_WRITES, FT_TOTAL_LEVELS };
static inline size_t ft_total_column(size_t level, enum ft_hierarchy_event event)
{
    return FT_TOTAL_LEVELS + FT_HIERARCHY_EVENTS * level + event;
}
static inline size_t ft_total_width(size_t level_count)
{
    return FT_TOTAL_LEVELS + FT_HIERARCHY_EVENTS * level_count;
}
/* ret_totals: [ft_total_width]. */
void ft_hierarchy_totals_of(const struct ft_hierarchy_run *run, double *ret_totals);

struct ft_hierarchy_forecast {
    const struct ft_model *model;
    struct ft_machine machine; /* without instruction levels: a view */
    uint64_t seed;
    bool causes;
    size_t width;
    double *inclusive;             /* [scope * width + column] (hierarchy_rows.h) */
    struct ft_interval *intervals; /* likewise */
    double *totals;
    struct ft_interval *total_intervals;
};

struct ft_hierarchy_forecast_options {
    uint64_t seed; /* of random replacement */
    bool causes;   /* of misses are counted, too */
    double accesses_max;
    struct ft_progress *progress; /* may be NULL */
};

/* prediction: of the same model, machine and size, by histograms: its accesses say what is missing.
 * FT_ERROR_UNSUPPORTED where the skeleton says nothing about the size. */
int ft_hierarchy_forecast(const struct ft_prediction *prediction,
                          const struct ft_hierarchy_forecast_options *options,
                          struct ft_hierarchy_forecast *ret_forecast, struct ft_diag *diag);
void ft_hierarchy_forecast_fini(struct ft_hierarchy_forecast *forecast);

#endif
