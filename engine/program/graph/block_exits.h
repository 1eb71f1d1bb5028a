/*
 * How control leaves each block: the edges of its last instruction inside the routine and how often
 * each was taken, including those that never were. A branch always has two; an indirect jump those
 * that were observed; a call one, to its return address, or none if it never returned and that code
 * never ran; a return none.
 */
#ifndef FT_ENGINE_PROGRAM_GRAPH_BLOCK_EXITS_H
#define FT_ENGINE_PROGRAM_GRAPH_BLOCK_EXITS_H

#include "engine/program/graph/flow_graph.h"
#include "engine/program/graph/routines.h"

enum ft_exit_kind {
    FT_EXIT_NEXT,      /* continues, or falls through a branch */
    FT_EXIT_TAKEN,     /* direct branch or jump */
    FT_EXIT_INDIRECT,  /* indirect jump, to an observed target */
    FT_EXIT_RETURNED,  /* a call that returned; count: how often */
    FT_EXIT_TAIL_CALL, /* jump to the start of another routine, or into another one */
};
extern const char *const ft_exit_kind_names[FT_EXIT_TAIL_CALL + 1];

struct ft_block_exit {
    uint64_t pc;    /* where it leads */
    uint64_t count; /* 0: never */
    uint32_t to;    /* block, or FT_NO_BLOCK: no code that ran */
    uint8_t kind;   /* enum ft_exit_kind */
};

struct ft_block_exits {
    struct ft_block_exit *items;
    uint32_t *first; /* of block b: items[first[b] .. first[b + 1]), by address */
};

int ft_block_exits_find(const struct ft_flow_graph *graph, const struct ft_routines *routines,
                        struct ft_block_exits *ret_exits, struct ft_diag *diag);
void ft_block_exits_fini(struct ft_block_exits *exits);

#endif
