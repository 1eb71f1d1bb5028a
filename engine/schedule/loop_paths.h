/*
 * The paths of loops of the machine code, inside out (Marin & Mellor-Crummey 2004, section 2.4):
 * each leads from a loop's header through blocks that belong to no loop inside back to the header,
 * or out. The counts of a loop's edges are divided among its paths, the most frequent first, so
 * that each block runs as often as the paths through it; loops inside are stepped over. Immutable.
 */
#ifndef FT_ENGINE_SCHEDULE_LOOP_PATHS_H
#define FT_ENGINE_SCHEDULE_LOOP_PATHS_H

#include "engine/program/graph/block_exits.h"
#include "engine/program/graph/program_loops.h"

#define FT_LOOP_PATHS_MAX 16

struct ft_loop_path {
    uint64_t count;                    /* how often it was taken */
    uint32_t first_block, block_count; /* blocks[first_block ...] of the paths, in order */
    bool returns;                      /* to the header; else it leaves the loop */
    bool has_loops;                    /* steps over loops inside */
    bool has_calls;
};

struct ft_loop_paths {
    struct ft_loop_path *items; /* most frequent first; at most FT_LOOP_PATHS_MAX */
    uint32_t count, capacity;
    uint32_t *blocks; /* of the graph */
    uint32_t block_count, block_capacity;
    double covered; /* share of the instructions of these blocks that the paths hold, 0 to 1 */
};

int ft_loop_paths_find(const struct ft_flow_graph *graph, const struct ft_program_loops *loops,
                       const struct ft_block_exits *exits, uint32_t loop,
                       struct ft_loop_paths *ret_paths, struct ft_diag *diag);
void ft_loop_paths_fini(struct ft_loop_paths *paths);

#endif
