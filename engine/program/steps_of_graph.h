/*
 * From a flow graph with its routines and loops to the steps of a program (scope_steps.h).
 */
#ifndef FT_ENGINE_PROGRAM_STEPS_OF_GRAPH_H
#define FT_ENGINE_PROGRAM_STEPS_OF_GRAPH_H

#include "engine/program/graph/program_loops.h"
#include "engine/program/scope_steps.h"

/* references: those of a source with fetches, which stand behind all others. */
int ft_scope_steps_make(const struct ft_flow_graph *graph, const struct ft_routines *routines,
                        const struct ft_program_loops *loops, const uint32_t *scope_of_routine,
                        const uint32_t *scope_of_loop, const struct ft_reference *references,
                        uint32_t reference_count, struct ft_scope_steps *ret_steps,
                        struct ft_diag *diag);

#endif
