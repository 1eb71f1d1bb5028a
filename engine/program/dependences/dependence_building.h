/*
 * Shared by the files that build dependence graphs: one loop, its nodes, and which of two
 * instructions comes first in an iteration. Reused for one loop after another.
 */
#ifndef FT_ENGINE_PROGRAM_DEPENDENCES_DEPENDENCE_BUILDING_H
#define FT_ENGINE_PROGRAM_DEPENDENCES_DEPENDENCE_BUILDING_H

#include "engine/program/dependences/dependences.h"
#include "engine/program/values/routine_values.h"

struct ft_dependence_loop {
    struct ft_routine_values *values;
    uint32_t loop, header; /* header: local block */
    struct ft_loop_dependences *result;
    size_t node_capacity, edge_capacity;
    uint32_t *blocks; /* local, of the loop and all loops inside, in definition order */
    uint32_t block_count;
    /* A vertex is a block whose innermost loop this is, or a loop directly inside. */
    uint32_t *vertex_of_block; /* per local block; FT_NO_VALUE outside the loop */
    uint32_t *first_node;      /* per vertex, and the end */
    bool *is_inner;            /* per vertex */
    uint32_t vertex_count;
    uint64_t *after; /* per vertex: bitset of the vertices that come after it in an iteration */
    size_t after_words;
    size_t block_capacity, vertex_of_block_capacity, first_node_capacity, inner_capacity,
        after_capacity;
};

/* `made` is {0} or was used before; nodes go into `result`, which is empty. */
int ft_dependence_loop_make(struct ft_dependence_loop *made, struct ft_routine_values *values,
                            uint32_t loop, struct ft_loop_dependences *result,
                            struct ft_diag *diag);
void ft_dependence_loop_fini(struct ft_dependence_loop *made);

/* The node of a local instruction, or of the inner loop that contains it. */
static inline uint32_t ft_dependence_node(const struct ft_dependence_loop *made,
                                          uint32_t instruction)
{
    const struct ft_routine_code *code = &made->values->code;
    uint32_t block = code->block_of[instruction], vertex = made->vertex_of_block[block];
    return made->first_node[vertex] +
           (made->is_inner[vertex] ? 0 : instruction - code->first_instruction[block]);
}

/* Whether `other` comes after an instruction in the same iteration; false within one node. */
bool ft_dependence_comes_behind(const struct ft_dependence_loop *made, uint32_t instruction,
                                uint32_t other);

/* Adds an edge. An edge of distance 0 against the order of nodes, which loops entered past their
 * header can have, becomes one of distance 1. */
bool ft_dependence_add(struct ft_dependence_loop *made, const struct ft_dependence *edge);

/* Adds the edges through registers. */
bool ft_register_dependences_add(struct ft_dependence_loop *made);
/* Adds those through memory; assumed ones where `pessimistic`. */
bool ft_memory_dependences_add(struct ft_dependence_loop *made, bool pessimistic);
/* Classifies the loads of a loop, once all edges of it and of the loops inside are known.
 * instruction_node: workspace with an entry per instruction of the graph. */
bool ft_load_classes_find(const struct ft_flow_graph *graph, const struct ft_program_loops *loops,
                          uint32_t loop, struct ft_dependences *dependences,
                          uint32_t *instruction_node);

#endif
