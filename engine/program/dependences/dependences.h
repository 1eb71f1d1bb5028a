/*
 * The dependence graph of each loop of the machine code (Marin & Mellor-Crummey 2004, section 3;
 * docs/formulas.md, "Dependences"). Nodes are the instructions whose innermost loop it is, and each
 * loop directly inside. An edge orders two nodes, at a distance in iterations of the loop: through
 * a register (renamed, so only flow), or through memory if address formulas prove it (flow, anti,
 * output). Accesses that may overlap are edges marked as assumed in the pessimistic graph; without
 * them the graph is optimistic. Distance 0 is the same iteration; edges of distance 0 form no
 * cycle. Immutable, owns its memory.
 */
#ifndef FT_ENGINE_PROGRAM_DEPENDENCES_DEPENDENCES_H
#define FT_ENGINE_PROGRAM_DEPENDENCES_DEPENDENCES_H

#include "engine/program/graph/program_loops.h"
#include "formats/scopes/load_class.h"
#include "formats/x86/value_flow.h"

enum ft_dependence_kind {
    FT_DEPENDENCE_FLOW,   /* written, then read */
    FT_DEPENDENCE_ANTI,   /* read, then written */
    FT_DEPENDENCE_OUTPUT, /* written, then written */
    FT_DEPENDENCE_KINDS
};
extern const char *const ft_dependence_kind_names[FT_DEPENDENCE_KINDS];

enum ft_dependence_flag {
    FT_DEPENDENCE_ASSUMED = 1,  /* cannot be ruled out; the distance is the smallest possible */
    FT_DEPENDENCE_LOADS_AT = 2, /* the register is a part of the address that `to` loads from */
    FT_DEPENDENCE_STORES_AT =
        4, /* the register only is a part of the address that `to` stores to */
    FT_DEPENDENCE_OVERWRITTEN = 8, /* flow whose value another store certainly replaces before */
};

struct ft_dependence {
    uint32_t from, to; /* nodes of the loop */
    uint32_t from_instruction,
        to_instruction;             /* of the graph; of an inner loop's node, one in it */
    uint32_t distance;              /* the smallest, in iterations of the loop */
    uint8_t kind;                   /* enum ft_dependence_kind */
    uint8_t flags;                  /* of enum ft_dependence_flag */
    uint8_t place;                  /* enum ft_place; FT_NO_PLACE: memory */
    uint8_t from_access, to_access; /* memory: of the instructions; FT_ANY_ACCESS: what a call, the
                                       kernel or code that is not known may touch */
};
#define FT_ANY_ACCESS 0xff

struct ft_dependence_node {
    uint32_t instruction; /* of the graph; FT_NO_BLOCK where it is a loop */
    uint32_t loop;        /* inside; FT_NO_LOOP where it is an instruction */
    uint8_t load_class;   /* enum ft_load_class; of loops FT_LOADS_NOTHING */
    bool in_chain;        /* chasing: in the chain, not merely fed by it */
    uint32_t depth;       /* indirect: length of the chain of loads before it */
    /* Chasing: chain_loads dependent loads in chain_iterations iterations; iterations 0: one for
     * each iteration of a loop inside. */
    uint32_t chain_loads, chain_iterations;
};

struct ft_loop_dependences {
    struct ft_dependence_node *nodes; /* in a code order: edges of distance 0 lead forward */
    uint32_t node_count;
    struct ft_dependence *edges; /* by from, to, and what they are */
    size_t edge_count;
};

struct ft_dependences {
    struct ft_loop_dependences *loops; /* by loop of the machine code; empty for other routines */
    size_t loop_count;
};

#define FT_ALL_ROUTINES UINT32_MAX

/* Of the loops of one routine or of all. */
int ft_dependences_find(const struct ft_flow_graph *graph, const struct ft_routines *routines,
                        const struct ft_program_loops *loops, uint32_t routine, bool pessimistic,
                        struct ft_dependences *ret_dependences, struct ft_diag *diag);
void ft_dependences_fini(struct ft_dependences *dependences);

/* The loads of a loop by class. */
void ft_dependences_count_loads(const struct ft_loop_dependences *loop,
                                uint64_t ret_counts[FT_LOAD_CLASSES]);

#endif
