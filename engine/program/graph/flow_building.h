/*
 * Shared by the files that build a flow graph: nodes, which are the distinct instructions of all
 * units, and what is made from them. Only ft_flow_graph_build makes one; functions that return bool
 * return false when out of memory.
 */
#ifndef FT_ENGINE_PROGRAM_GRAPH_FLOW_BUILDING_H
#define FT_ENGINE_PROGRAM_GRAPH_FLOW_BUILDING_H

#include "engine/program/graph/flow_graph.h"
#include "formats/base/hash_table.h"

#define FT_NO_NODE UINT32_MAX

struct ft_flow_node {
    const struct ft_unit *unit; /* the first that contains it */
    const struct ft_instruction *instruction;
    uint64_t count;
    uint32_t next, previous; /* node, FT_NO_NODE */
    uint32_t same_pc;        /* another version at this address, FT_NO_NODE */
    uint32_t block;
    bool leader;
};

struct ft_flow_building {
    const struct ft_unit *const *units;
    size_t unit_count;
    const struct ft_execution_counts *counts;
    const struct ft_module *const *modules;
    struct ft_flow_node *nodes;
    size_t node_count;
    struct ft_hash_table first_nodes; /* by pc: the first node there */
    uint32_t *unit_nodes;             /* nodes of unit id: unit_nodes[first_of_unit[id] ...] */
    size_t *first_of_unit;
    struct ft_flow_graph graph;
    size_t edge_capacity;
    uint64_t *reached;           /* per block: executions that no return led to */
    struct ft_block_edge *links; /* successors, before sorting */
    size_t link_count, link_capacity;
};

/* The first node at pc, or FT_NO_NODE; others there follow by same_pc. */
uint32_t ft_flow_node_at(const struct ft_flow_building *building, uint64_t pc);
uint32_t ft_flow_module_of(const struct ft_flow_node *node);

/* Nodes, and which of them follow each other. */
bool ft_flow_make_nodes(struct ft_flow_building *building);
/* The nodes that ran of a unit that a signal interrupted; returns how many. */
unsigned ft_flow_nodes_of_part(const struct ft_flow_building *building,
                               const struct ft_unit_part *part, const uint32_t **ret_nodes);
/* Which of them start blocks. */
void ft_flow_find_leaders(struct ft_flow_building *building);
/* The edges between blocks, as executed. */
bool ft_flow_make_edges(struct ft_flow_building *building);
/* The flow inside routines. */
bool ft_flow_make_successors(struct ft_flow_building *building);

bool ft_flow_add_edge(struct ft_block_edge **edges, size_t *count, size_t *capacity, uint32_t from,
                      uint32_t to, uint64_t executions);
/* Sorts edges and sums those between the same blocks; returns how many remain. */
size_t ft_flow_merge_edges(struct ft_block_edge *edges, size_t count);

static inline bool ft_flow_has_unit(const struct ft_flow_building *building, uint32_t id)
{
    return id < building->unit_count && building->units[id] &&
           building->units[id]->instruction_count > 0;
}

static inline uint32_t ft_flow_first_node(const struct ft_flow_building *building, uint32_t id)
{
    return building->unit_nodes[building->first_of_unit[id]];
}

static inline uint32_t ft_flow_last_node(const struct ft_flow_building *building, uint32_t id)
{
    return building->unit_nodes[building->first_of_unit[id] +
                                ft_unit_last_execution_instructions(building->units[id]) - 1];
}

#endif
