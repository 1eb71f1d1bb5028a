/*
 * Without symbols, the part of a routine that a compiler moved away has an unwind entry of its own.
 * It is found by the jumps between both: nothing calls it, all jumps into it come from one other
 * entry, and one of them leads into the middle of either, where no routine starts (Meng and Miller,
 * "Binary code is not easy", ISSTA 2016, section 4).
 */
#ifndef FT_ENGINE_PROGRAM_GRAPH_UNWIND_PARTS_H
#define FT_ENGINE_PROGRAM_GRAPH_UNWIND_PARTS_H

#include "engine/program/graph/flow_graph.h"

struct ft_extent {
    uint64_t start, end; /* offsets in the module */
    uint32_t module;
    bool has_name;  /* stands for itself in any case */
    uint32_t whole; /* found: the extent that it is a part of, or itself */
};

/* of_block: the extent of each block of the graph. False when out of memory. */
bool ft_unwind_parts_find(const struct ft_flow_graph *graph, const uint32_t *of_block,
                          struct ft_extent *extents, uint32_t count);

#endif
