/*
 * Units to blocks (flow_graph.h), blocks to routines (routines.h), routines to loops
 * (program_loops.h), loops of the machine code to those of the source (loop_folding.h); then all of
 * it becomes the tree (scope_tree.c), with blocks and references in it (scope_contents.c) and how
 * often each scope was entered (scope_entries.c).
 */
#include "engine/program/structure_building.h"

#include "engine/program/graph/loop_folding.h"

static int build(struct ft_structure_building *building, struct ft_diag *diag)
{
    const struct ft_structure_input *input = building->input;
    struct ft_structure *made = &building->made;
    FT_TRY(ft_flow_graph_build(input->units, input->unit_count, input->counts, input->modules,
                               &made->graph, diag));
    FT_TRY(ft_routines_find(&made->graph, input->modules, &made->routines, diag));
    FT_TRY(
        ft_program_loops_find(&made->graph, &made->routines, input->modules, &made->loops, diag));
    if (!ft_loops_fold(&made->loops))
        return ft_fail_memory(diag, "the loops of the source");
    if (!ft_building_copy_modules(building) || !ft_building_add_scopes(building) ||
        !ft_building_add_blocks(building))
        return ft_fail_memory(diag, "the scope tree");
    ft_building_count_entries(building);
    ft_building_count_starts(building);
    return ft_building_add_references(building, diag);
}

int ft_structure_make(const struct ft_structure_input *input, struct ft_structure *ret_structure,
                      struct ft_diag *diag)
{
    struct ft_structure_building building = {.input = input};
    int status = build(&building, diag);
    if (status == 0)
        *ret_structure = building.made;
    else
        ft_structure_fini(&building.made);
    return status;
}
