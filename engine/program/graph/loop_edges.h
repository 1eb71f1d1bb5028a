/*
 * The entry, back and exit edges of each loop of the machine code, with how often each was taken,
 * and its preheader. Made from the exits of blocks (block_exits.h); with nested loops, one edge may
 * enter or leave several.
 */
#ifndef FT_ENGINE_PROGRAM_GRAPH_LOOP_EDGES_H
#define FT_ENGINE_PROGRAM_GRAPH_LOOP_EDGES_H

#include "engine/program/graph/block_exits.h"
#include "engine/program/graph/program_loops.h"

enum ft_loop_edge_kind { FT_LOOP_ENTRY, FT_LOOP_BACK, FT_LOOP_EXIT };

struct ft_loop_edge {
    uint32_t from,
        to; /* blocks. Entries from FT_NO_BLOCK are calls of the routine; exits to FT_NO_BLOCK are
               returns, calls that never return, or code that never ran */
    uint64_t count; /* 0: never taken */
    uint32_t loop;
    uint8_t kind; /* enum ft_loop_edge_kind */
};

struct ft_loop_edges {
    struct ft_loop_edge *items;
    uint32_t *first;     /* of loop l: items[first[l] .. first[l + 1]), by kind and block */
    uint32_t *preheader; /* per loop: the only block outside that leads into it, if the header is
                            its only successor; or FT_NO_BLOCK */
};

int ft_loop_edges_find(const struct ft_flow_graph *graph, const struct ft_routines *routines,
                       const struct ft_program_loops *loops, const struct ft_block_exits *exits,
                       struct ft_loop_edges *ret_edges, struct ft_diag *diag);
void ft_loop_edges_fini(struct ft_loop_edges *edges);

#endif
