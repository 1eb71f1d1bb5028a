/*
 * Without symbols, a part that the compiler split off a routine has an unwind entry of its own. The
 * jumps between the two give it away: nothing calls it, all jumps into it come from one other
 * entry, and one of them targets the middle of either, where no routine starts (Meng and Miller,
 * "Binary code is not easy", ISSTA 2016, section 4).
 */
#ifndef FT_ENGINE_PROGRAM_GRAPH_UNWIND_PARTS_H
#define FT_ENGINE_PROGRAM_GRAPH_UNWIND_PARTS_H

#include "engine/program/graph/flow_graph.h"

struct ft_extent {
    uint64_t start, end; /* offsets in the module */
    uint32_t module;
    bool has_name;  /* never a part of another */
    uint32_t whole; /* found: the extent that it is a part of, or itself */
};

/* of_block: the extent of each block of the graph. False when out of memory. */
bool ft_unwind_parts_find(const struct ft_flow_graph *graph, const uint32_t *of_block,
                          struct ft_extent *extents, uint32_t count);

#endif
