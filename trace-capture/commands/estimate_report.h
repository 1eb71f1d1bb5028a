/*
 * What `capture --estimate` says: what was captured, what it cost, and what a second and an hour of
 * the program's CPU time cost at that rate; what kind of program that makes it, and how to pay
 * less. All numbers are measured; what the program takes natively is not.
 */
#ifndef FT_TRACE_CAPTURE_COMMANDS_ESTIMATE_REPORT_H
#define FT_TRACE_CAPTURE_COMMANDS_ESTIMATE_REPORT_H

#include <stdio.h>

#include "trace-capture/processes/processes.h"

/* name: of the program or process, as the user gave it. */
int ft_estimate_print(FILE *stream, const char *name, const struct ft_capture_options *options,
                      const struct ft_capture_result *result, struct ft_diag *diag);

#endif
