/*
 * Each step uses those before it.
 */
#include "engine/program/values/routine_values.h"

int ft_routine_values_make(struct ft_routine_values *values, const struct ft_flow_graph *graph,
                           const struct ft_routine *routine, const struct ft_program_loops *loops,
                           const struct ft_definition_order *order, struct ft_diag *diag)
{
    FT_TRY(ft_routine_code_make(&values->code, graph, routine, loops, order, diag));
    FT_TRY(ft_stack_frame_make(&values->frame, &values->code, diag));
    FT_TRY(ft_def_use_make(&values->def_use, &values->code, &values->frame, diag));
    return ft_value_exprs_make(&values->exprs, &values->code, &values->frame, &values->def_use,
                               diag);
}

void ft_routine_values_fini(struct ft_routine_values *values)
{
    ft_routine_code_fini(&values->code);
    ft_stack_frame_fini(&values->frame);
    ft_def_use_fini(&values->def_use);
    ft_value_exprs_fini(&values->exprs);
}
