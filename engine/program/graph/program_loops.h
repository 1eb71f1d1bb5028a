/*
 * The loops of all routines of a program with their source lines, and which of them a compiler made
 * from one source loop, once ft_loops_fold has run (loop_folding.h).
 */
#ifndef FT_ENGINE_PROGRAM_GRAPH_PROGRAM_LOOPS_H
#define FT_ENGINE_PROGRAM_GRAPH_PROGRAM_LOOPS_H

#include "engine/program/graph/flow_graph.h"
#include "engine/program/graph/loops.h"
#include "engine/program/graph/routines.h"
#include "engine/program/graph/source.h"

struct ft_program_loop {
    uint32_t routine;
    uint32_t header;              /* block */
    bool irreducible;             /* entered past its header as well */
    uint32_t parent;              /* loop or FT_NO_LOOP */
    uint32_t same_as;             /* the first loop of this source loop, which may be itself */
    uint32_t context_depth;       /* inlined calls around the source loop */
    uint32_t first_call;          /* these calls, outermost first, from calls[first_call] */
    uint64_t end_offset;          /* end of its last block */
    struct ft_source_range range; /* combined over the loops of a source loop */
};

struct ft_program_loops {
    struct ft_program_loop *items; /* routine by routine; parents first; by header's block */
    size_t count;
    uint32_t *of_block; /* per block of the graph: its innermost loop or FT_NO_LOOP */
    struct ft_inline *calls;
    size_t call_count;
};

int ft_program_loops_find(const struct ft_flow_graph *graph, const struct ft_routines *routines,
                          const struct ft_module *const *modules,
                          struct ft_program_loops *ret_loops, struct ft_diag *diag);
void ft_program_loops_fini(struct ft_program_loops *loops);

#endif
