/*
 * How many vector lanes masked instructions worked on. A trace reveals only the masks of loads,
 * stores, gathers and scatters, which make one access per lane; an instruction under the same mask
 * in the same basic block works on as many lanes. Pure functions.
 */
#ifndef FT_ENGINE_PROGRAM_MIX_MASKED_LANES_H
#define FT_ENGINE_PROGRAM_MIX_MASKED_LANES_H

#include "engine/program/graph/flow_graph.h"

#define FT_LANES_UNKNOWN UINT64_MAX

/* Whether an instruction makes one access per active lane of its mask register. */
bool ft_access_reveals_lanes(const struct ft_instruction *instruction, unsigned access_index);

/* Vector lanes of a masked instruction's operations; 0 if it has none, or if mask elements are not
 * elements of the operation. */
unsigned ft_masked_operation_lanes(const struct ft_instruction *instruction);

/* accessed: per instruction of the graph, accesses that reveal lanes, over all executions, or
 * FT_LANES_UNKNOWN. ret_lanes: lanes that each masked instruction worked on, over all its
 * executions, or FT_LANES_UNKNOWN. */
int ft_masked_lanes_find(const struct ft_flow_graph *graph, const uint64_t *accessed,
                         uint64_t *ret_lanes, struct ft_diag *diag);

#endif
