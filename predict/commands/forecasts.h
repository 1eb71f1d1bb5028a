/*
 * What `predict` and `report` have in common: a model file, --at and --machine become a prediction
 * for each point on each machine. Options read: "at", "model".
 *
 * Start from {0} with arguments, options, misses, dirty_memory and, with --check, checked.path set;
 * ft_forecasts_fini frees the rest, options too, after failures as well.
 */
#ifndef FT_PREDICT_COMMANDS_FORECASTS_H
#define FT_PREDICT_COMMANDS_FORECASTS_H

#include "machines/commands/report_options.h"
#include "predict/commands/bandwidth_models.h"
#include "predict/commands/points.h"
#include "predict/commands/report.h"
#include "predict/commands/shown_metric.h"
#include "predict/commands/time_model.h"

struct ft_forecast_result {
    struct ft_prediction prediction;
    struct ft_check check;
    uint32_t *list;
    struct ft_startup_fold startup;
};

struct ft_forecasts {
    const struct ft_arguments *arguments;
    struct ft_report_options options;
    enum ft_miss_method misses;
    bool dirty_memory;
    enum ft_time_model time_model;
    struct ft_bandwidth_models bandwidths; /* {0}: without a convolver */
    struct ft_checked_trace checked;
    struct ft_command_points points;
    struct ft_shown_metric sort;        /* of which scopes shown have most */
    struct ft_forecast_result *results; /* point by point, machine by machine */
    struct ft_report *reports;
    size_t report_count;
};

void ft_forecasts_fini(struct ft_forecasts *forecasts);
/* Whether all machines know what --dirty asks for. */
int ft_forecasts_check_dirty(const struct ft_forecasts *forecasts, struct ft_diag *diag);
/* Reads the model, opens the trace of --check, and resolves all --at: at least one point. */
int ft_forecasts_resolve(struct ft_forecasts *forecasts, struct ft_diag *diag);
/* A report for each point on each machine, of the scopes that have most of `sort`; simulated
 * too with --check. Shows progress. */
int ft_forecasts_make(struct ft_forecasts *forecasts, struct ft_diag *diag);

/* A point on a machine. progress: NULL for none. */
int ft_forecast_point(const struct ft_forecasts *forecasts, const struct ft_command_point *point,
                      const struct ft_machine *machine, struct ft_progress *progress,
                      struct ft_prediction *prediction, struct ft_diag *diag);
/* Warns of a trace few of whose accesses the model knows. */
void ft_warn_of_stranger(const char *trace, double matched_share);

#endif
