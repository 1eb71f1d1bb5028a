/*
 * The points that --at of `predict` names, or the trace of --check: all of the model's parameters
 * have values there. A model over several is restricted to its first parameter; points that agree
 * in the others share one.
 */
#ifndef FT_PREDICT_COMMANDS_POINTS_H
#define FT_PREDICT_COMMANDS_POINTS_H

#include "formats/cli/options.h"
#include "formats/model/query_point.h"
#include "formats/trace/trace.h"

/* The trace of --check; NULL both without. */
struct ft_checked_trace {
    const char *path;
    struct ft_trace *trace; /* the caller's to close */
};

struct ft_command_point {
    const struct ft_model *model; /* over one parameter */
    struct ft_query_point size;
};

struct ft_command_points {
    struct ft_command_point *items;
    size_t count;
    struct ft_model **models; /* owned; of the points */
    size_t model_count;
};

/* The model is the command's first operand. Opens checked->path, where there is one. */
int ft_command_points_read(const struct ft_arguments *arguments, struct ft_checked_trace *checked,
                           struct ft_command_points *ret_points, struct ft_diag *diag);
/* Adds behind them the smallest training size of each model. ret_bases: [point before] the one of
 * its model; the caller frees them. */
int ft_command_points_add_smallest(struct ft_command_points *points, size_t **ret_bases,
                                   struct ft_diag *diag);
void ft_command_points_fini(struct ft_command_points *points);

#endif
