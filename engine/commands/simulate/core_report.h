/*
 * What `simulate --core` reports of a trace as text, JSON or CSV: cycles of routines and loops, and
 * where they went.
 */
#ifndef FT_ENGINE_COMMANDS_SIMULATE_CORE_REPORT_H
#define FT_ENGINE_COMMANDS_SIMULATE_CORE_REPORT_H

#include "engine/simulate/core/core_of_trace.h"
#include "machines/commands/report_options.h"

struct ft_core_report {
    const struct ft_report_options *options; /* its first machine */
    const struct ft_core_of_trace *result;
    const struct ft_core_task *task;
    const struct ft_trace *trace;
};
int ft_core_report(const struct ft_core_report *report, struct ft_diag *diag);

#endif
