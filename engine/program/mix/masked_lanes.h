/*
 * How many lanes of vectors instructions under a mask register worked on. A trace has no masks but
 * those of loads, stores, gathers and scatters, which make an access a lane; an instruction in the
 * same basic block under the same mask works on as many. Pure functions.
 */
#ifndef FT_ENGINE_PROGRAM_MIX_MASKED_LANES_H
#define FT_ENGINE_PROGRAM_MIX_MASKED_LANES_H

#include "engine/program/graph/flow_graph.h"

#define FT_LANES_UNKNOWN UINT64_MAX

/* Whether accesses of an instruction are one for each lane that a mask register leaves; which. */
bool ft_access_reveals_lanes(const struct ft_instruction *instruction, unsigned access_index);

/* Lanes of the vectors that an instruction under a mask makes its operations on, 0 where these are
 * none, or where an element of the mask is not an element of the operation. */
unsigned ft_masked_operation_lanes(const struct ft_instruction *instruction);

/* accessed: per instruction of the graph, accesses that tell lanes, of all executions, or
 * FT_LANES_UNKNOWN. ret_lanes: lanes that each instruction under a mask worked on in all its
 * executions, or FT_LANES_UNKNOWN. */
int ft_masked_lanes_find(const struct ft_flow_graph *graph, const uint64_t *accessed,
                         uint64_t *ret_lanes, struct ft_diag *diag);

#endif
