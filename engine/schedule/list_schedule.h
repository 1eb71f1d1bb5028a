/*
 * List scheduling of a body, iteration after iteration: operations enter the window in program
 * order, as many a cycle as the core dispatches, start in the order of their age as soon as their
 * operands and their ports are free, and leave the window in program order. Pure.
 */
#ifndef FT_ENGINE_SCHEDULE_LIST_SCHEDULE_H
#define FT_ENGINE_SCHEDULE_LIST_SCHEDULE_H

#include "engine/schedule/body.h"

/* ret_cycles: of an iteration in the steady state; where the body doesn't repeat, from its first
 * dispatch to its last result. ret_wait: from when the last operation of an iteration is dispatched
 * until it starts, in the mean of the steady state. */
int ft_list_schedule(const struct ft_body *body, bool repeats, double *ret_cycles, double *ret_wait,
                     struct ft_diag *diag);

#endif
