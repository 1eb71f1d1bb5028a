/*
 * Which routine each block belongs to. A routine is a symbol of the module, with the parts that the
 * compiler split off it (routine_names.h) if the routine they belong to is unambiguous; else an
 * unwind entry, with entries that the jumps between them show to be parts of it (unwind_parts.h);
 * else the gap between two symbols. Immutable once built; points into the modules.
 */
#ifndef FT_ENGINE_PROGRAM_GRAPH_ROUTINES_H
#define FT_ENGINE_PROGRAM_GRAPH_ROUTINES_H

#include "engine/program/graph/flow_graph.h"
#include "engine/program/graph/routine_names.h"

struct ft_routine {
    const char *symbol;  /* as in the symbol table; "" if unnamed */
    uint64_t start, end; /* offsets in the module, of the part that has the name */
    uint32_t module;
    bool in_gap; /* outside all symbols and unwind entries */
    uint32_t block_count;
    uint32_t first_block; /* blocks of routine r: r.block_count from blocks[r.first_block] */
};

struct ft_routines {
    struct ft_routine *items; /* by module and start */
    size_t count;
    uint32_t *of_block; /* per block of the graph */
    uint32_t *blocks;   /* routine by routine, in the order of the graph */
    uint8_t *starts;    /* per block of the graph: enum ft_routine_start */
};

int ft_routines_find(const struct ft_flow_graph *graph, const struct ft_module *const *modules,
                     struct ft_routines *ret_routines, struct ft_diag *diag);
void ft_routines_fini(struct ft_routines *routines);

/* Whether an edge leads to the instruction after a call: a return, or a jump that acts as one. */
bool ft_edge_comes_back(const struct ft_flow_graph *graph, const struct ft_routines *routines,
                        const struct ft_block_edge *edge);

#endif
