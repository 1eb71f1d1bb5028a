/*
 * A metric as options of `predict` name it: time, accesses, instructions, or the misses of a level.
 */
#ifndef FT_PREDICT_COMMANDS_SHOWN_METRIC_H
#define FT_PREDICT_COMMANDS_SHOWN_METRIC_H

#include "machines/commands/report_options.h"
#include "predict/compared_value.h"

/* What an option says; an error names it, and what there is. */
int ft_shown_metric_read(const char *option, const char *text,
                         const struct ft_report_options *options,
                         struct ft_shown_metric *ret_metric, struct ft_diag *diag);

#endif
