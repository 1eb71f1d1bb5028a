/*
 * What the analyses of a routine need, made together: decoded code, stack frame, definitions and
 * uses, and expressions of values. Reused for one routine after another; the graph, the loops and
 * the order must outlive it.
 */
#ifndef FT_ENGINE_PROGRAM_VALUES_ROUTINE_VALUES_H
#define FT_ENGINE_PROGRAM_VALUES_ROUTINE_VALUES_H

#include "engine/program/values/value_exprs.h"

struct ft_routine_values {
    struct ft_routine_code code;
    struct ft_stack_frame frame;
    struct ft_def_use def_use;
    struct ft_value_exprs exprs;
};

/* `values` is {0} or was used before. */
int ft_routine_values_make(struct ft_routine_values *values, const struct ft_flow_graph *graph,
                           const struct ft_routine *routine, const struct ft_program_loops *loops,
                           const struct ft_definition_order *order, struct ft_diag *diag);
void ft_routine_values_fini(struct ft_routine_values *values);

#endif
