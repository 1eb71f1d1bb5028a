/*
 * A metric as options of `predict` name it: time, accesses, instructions, or the misses of a level.
 */
#ifndef FT_PREDICT_COMMANDS_SHOWN_METRIC_H
#define FT_PREDICT_COMMANDS_SHOWN_METRIC_H

#include "machines/commands/report_options.h"
#include "predict/prediction.h"

/* FT_SHOW_MISSES: set-associative, of the level of that name. */
enum ft_shown { FT_SHOW_TIME, FT_SHOW_ACCESSES, FT_SHOW_INSTRUCTIONS, FT_SHOW_MISSES };
struct ft_shown_metric {
    enum ft_shown kind;
    const char *level; /* a view of a machine's */
};

/* What an option says; an error names it, and what there is. */
int ft_shown_metric_read(const char *option, const char *text,
                         const struct ft_report_options *options,
                         struct ft_shown_metric *ret_metric, struct ft_diag *diag);

/* Its column in rows of the prediction; SIZE_MAX for time, and a level that the machine lacks. */
size_t ft_shown_metric_column(const struct ft_shown_metric *metric,
                              const struct ft_prediction *prediction);

#endif
