/*
 * Shared by the files that build the scope tree from graph, routines and loops: they add scopes,
 * blocks, entries and references in turn. Functions that return a bool return false when out of
 * memory.
 */
#ifndef FT_ENGINE_PROGRAM_STRUCTURE_BUILDING_H
#define FT_ENGINE_PROGRAM_STRUCTURE_BUILDING_H

#include "engine/program/structure.h"

struct ft_structure_building {
    const struct ft_structure_input *input;
    struct ft_structure made;
};

/* Modules, and the tree of scopes without counts. */
bool ft_building_copy_modules(struct ft_structure_building *building);
bool ft_building_add_scopes(struct ft_structure_building *building);
/* Blocks and references in their scopes. */
bool ft_building_add_blocks(struct ft_structure_building *building);
int ft_building_add_references(struct ft_structure_building *building, struct ft_diag *diag);
/* Counts entries of scopes and iterations of loops: by the edges between blocks, and where threads
 * and signal handlers start. */
void ft_building_count_entries(struct ft_structure_building *building);
void ft_building_count_starts(struct ft_structure_building *building);

static inline const struct ft_module *
ft_building_module(const struct ft_structure_building *building, uint32_t module)
{
    return module == FT_NO_MODULE ? NULL : building->input->modules[module];
}

#endif
