/*
 * The work of a program from counts alone (traces of `capture --counts`): executions of
 * instructions, entries and iterations of loops. The trip count of each single entry is unknown.
 */
#ifndef FT_ENGINE_PROGRAM_COUNTED_WORK_H
#define FT_ENGINE_PROGRAM_COUNTED_WORK_H

#include "engine/program/graph/loop_edges.h"
#include "engine/program/structure.h"
#include "engine/program/trip_counts.h"

/* Executions by step of the scope tree's walk. */
void ft_counted_executions(const struct ft_structure *structure, const struct ft_scope_steps *steps,
                           uint64_t *executions);
/* Entries and iterations by loop of the machine code; min, max and bins stay 0. */
void ft_counted_trips(const struct ft_structure *structure, const struct ft_loop_edges *edges,
                      struct ft_trips *trips);

#endif
