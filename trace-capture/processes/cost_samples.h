/*
 * What all images of one capture have cost so far, for `capture --estimate`. Samples are taken when
 * half of the time limit is over, when all of it is, and when all traces are written. What is on
 * its way to the files is not in the first two.
 */
#ifndef FT_TRACE_CAPTURE_PROCESSES_COST_SAMPLES_H
#define FT_TRACE_CAPTURE_PROCESSES_COST_SAMPLES_H

#include "trace-capture/processes/processes_state.h"

/* Costs are counted from now on. */
void ft_cost_samples_start(struct ft_processes *processes);
/* Those of the traces that are written, and of those that are not yet. */
void ft_cost_samples_take(struct ft_processes *processes, struct ft_capture_cost *ret_cost);

#endif
