/*
 * Executed units cut into basic blocks, and the flow between them.
 *
 * Units overlap, because each jump target starts a unit. Here every instruction appears once (or
 * once per version, if other bytes were executed at its address later), and a block is a sequence
 * of instructions that ran equally often: the sum of execution_count * instruction_count is the
 * number of instructions executed. A reference without code is a block of its own. Indices are
 * uint32_t, FT_NO_BLOCK is none. The graph points into the units, which must outlive it. Immutable
 * once built.
 */
#ifndef FT_ENGINE_PROGRAM_GRAPH_FLOW_GRAPH_H
#define FT_ENGINE_PROGRAM_GRAPH_FLOW_GRAPH_H

#include "formats/scopes/scopes.h"
#include "formats/trace/trace.h"

#define FT_NO_BLOCK UINT32_MAX

struct ft_flow_block {
    uint64_t pc;
    uint64_t offset; /* in its module; the pc itself outside all modules */
    uint32_t module;
    uint32_t code_bytes;
    uint32_t first_instruction; /* index into the graph's instructions */
    uint32_t instruction_count;
    uint64_t execution_count;
    uint32_t call_before; /* the block whose final call returns here */
};

struct ft_flow_graph {
    const struct ft_instruction **instructions; /* block by block */
    const struct ft_unit **units;               /* per instruction: a unit that contains it */
    size_t instruction_count;
    struct ft_flow_block *blocks; /* by module and offset, code outside modules last */
    size_t block_count;
    struct ft_block_edge *edges; /* executed, calls and returns included, by (from, to) */
    size_t edge_count;
    /* Flow inside routines: executed edges except calls and returns, edges from a call to its
     * return address, and untaken branches between blocks that ran. Successors of block b are
     * successors[first_successor[b] .. first_successor[b + 1]). */
    uint32_t *successors;
    uint32_t *first_successor;
    uint32_t *by_pc;    /* indices of instructions, by pc and index */
    uint32_t *block_of; /* per instruction */
};

/* units and counts by id, units[0] and units not executed may be NULL; `modules` by index. */
int ft_flow_graph_build(const struct ft_unit *const *units, size_t unit_count,
                        const struct ft_execution_counts *counts,
                        const struct ft_module *const *modules, struct ft_flow_graph *ret_graph,
                        struct ft_diag *diag);
void ft_flow_graph_fini(struct ft_flow_graph *graph);

/* Index into by_pc of the first instruction at or after pc. */
size_t ft_flow_graph_first_from(const struct ft_flow_graph *graph, uint64_t pc);
/* The instruction at pc: the first version with at least access_count accesses; FT_NO_BLOCK if none
 * ran. */
uint32_t ft_flow_graph_instruction_at(const struct ft_flow_graph *graph, uint64_t pc,
                                      unsigned access_count);
/* The block of the instruction at pc: the first version with at least access_count accesses;
 * FT_NO_BLOCK if none ran. */
uint32_t ft_flow_graph_block_at(const struct ft_flow_graph *graph, uint64_t pc,
                                unsigned access_count);

static inline const struct ft_instruction *
ft_flow_last_instruction(const struct ft_flow_graph *graph, uint32_t block)
{
    const struct ft_flow_block *b = &graph->blocks[block];
    return graph->instructions[b->first_instruction + b->instruction_count - 1];
}

#endif
