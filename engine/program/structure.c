#include "engine/program/structure.h"

#include <stdlib.h>

void ft_structure_fini(struct ft_structure *structure)
{
    ft_flow_graph_fini(&structure->graph);
    ft_routines_fini(&structure->routines);
    ft_program_loops_fini(&structure->loops);
    free(structure->scope_of_routine);
    free(structure->scope_of_loop);
    free(structure->context_depth);
    ft_scopes_fini(&structure->scopes);
    *structure = (struct ft_structure){0};
}

/* Leaves the scope tree alone. */
static void keep_scopes(struct ft_structure *structure, struct ft_scopes *ret_scopes)
{
    *ret_scopes = structure->scopes;
    structure->scopes = (struct ft_scopes){0};
    ft_structure_fini(structure);
}

int ft_structure_build_from(const struct ft_structure_input *input, struct ft_scopes *ret_scopes,
                            struct ft_diag *diag)
{
    struct ft_structure structure;
    FT_TRY(ft_structure_make(input, &structure, diag));
    keep_scopes(&structure, ret_scopes);
    return FT_OK;
}

int ft_structure_of_trace(const struct ft_trace *trace, const struct ft_execution_counts *counts,
                          const struct ft_reference *references, uint32_t reference_count,
                          const int64_t *strides, struct ft_structure *ret_structure,
                          struct ft_diag *diag)
{
    size_t unit_count = ft_trace_unit_count(trace) + 1;
    size_t module_count = ft_trace_module_count(trace);
    const struct ft_unit **units = calloc(unit_count, sizeof *units);
    const struct ft_module **modules = calloc(module_count + 1, sizeof *modules);
    int status = units && modules ? 0 : ft_fail_memory(diag, "the scope tree");
    for (uint32_t id = 1; status == 0 && id < unit_count; id++)
        units[id] = ft_trace_unit(trace, id);
    for (size_t i = 0; status == 0 && i < module_count; i++)
        modules[i] = ft_trace_module(trace, i);
    struct ft_structure_input input = {
        .program = ft_trace_metadata(trace)->program,
        .units = units,
        .unit_count = unit_count,
        .modules = modules,
        .module_count = module_count,
        .counts = counts,
        .references = references,
        .reference_count = reference_count,
        .strides = strides,
    };
    if (status == 0)
        status = ft_structure_make(&input, ret_structure, diag);
    free(units);
    free(modules);
    return status;
}

int ft_structure_build(const struct ft_trace *trace, const struct ft_execution_counts *counts,
                       const struct ft_reference *references, uint32_t reference_count,
                       const int64_t *strides, struct ft_scopes *ret_scopes, struct ft_diag *diag)
{
    struct ft_structure structure;
    FT_TRY(ft_structure_of_trace(trace, counts, references, reference_count, strides, &structure,
                                 diag));
    keep_scopes(&structure, ret_scopes);
    return FT_OK;
}
