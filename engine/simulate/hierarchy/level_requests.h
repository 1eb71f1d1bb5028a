/*
 * What levels do when they are asked for blocks: the rules of docs/simulate.md, "Hierarchies". A
 * request walks its chain until some level has the block; on the way back each level takes it in
 * and hands what it evicts to the next.
 */
#ifndef FT_ENGINE_SIMULATE_HIERARCHY_LEVEL_REQUESTS_H
#define FT_ENGINE_SIMULATE_HIERARCHY_LEVEL_REQUESTS_H

#include "engine/simulate/hierarchy/level_graph.h"

/* Why a block is asked for. */
struct ft_demand {
    uint64_t address;
    uint32_t reference;
    bool prefetch; /* not by the program */
};

/* Asks a node for the block of an address, to load it or to execute it. */
void ft_level_request(struct ft_level_graph *graph, uint32_t node, const struct ft_demand *demand);
/* A store of the program arrives at a node; FT_NO_NODE: in memory. */
void ft_level_store_to(struct ft_level_graph *graph, uint32_t node, const struct ft_demand *demand);

#endif
