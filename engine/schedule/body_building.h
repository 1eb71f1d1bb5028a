/*
 * Between the files that make a body: an instruction as all of them see it.
 */
#ifndef FT_ENGINE_SCHEDULE_BODY_BUILDING_H
#define FT_ENGINE_SCHEDULE_BODY_BUILDING_H

#include "engine/schedule/body.h"

#define FT_NO_OPERATION UINT32_MAX

struct ft_body_instruction {
    struct ft_instruction instruction;
    struct ft_value_flow flow;
    char form[FT_FORM_BYTES];
    const char *mnemonic;                   /* Zydis's */
    uint64_t data_read;                     /* bit per enum ft_place: operands, not addresses */
    uint64_t address_read;                  /* those that addresses are made of */
    uint64_t written;                       /* without what the stack engine keeps */
    bool has_vectors, loads, stores, fuses; /* fuses: with the branch behind it */
    bool is_atomic;                         /* with a lock prefix, or as if it had one */
    uint32_t load, compute, store;          /* its operations; FT_NO_OPERATION: it has none */
};

struct ft_body_builder {
    struct ft_body *body;
    struct ft_body_instruction *instructions;
    const struct ft_body_path *path;
    size_t edge_capacity;
};

/* A flow from a store to a load. */
struct ft_body_flow {
    uint32_t store, load; /* instructions of the body */
    uint32_t distance;    /* iterations */
};

int ft_body_instruction_read(const struct ft_core *core, const struct ft_body_code *code,
                             struct ft_body_instruction *ret_instruction, struct ft_diag *diag);
/* Appends the operations of an instruction; branch: the one behind it, if both become one. */
void ft_body_add_operations(struct ft_body_builder *builder, uint32_t instruction,
                            const struct ft_body_instruction *branch);

/* Whether an instruction becomes one with the branch behind it. */
bool ft_body_is_fused(const struct ft_body_builder *builder, uint32_t instruction);

/* body->fetch_cycles; false without memory. */
bool ft_body_find_fetch_cycles(struct ft_body_builder *builder);
bool ft_body_add_edge(struct ft_body_builder *builder, const struct ft_operation_edge *edge);
/* Edges from stores to loads of the same bytes, as far as addresses in the body tell, and no commit
 * of their own for stores that follow others in one line; false without memory. */
bool ft_body_add_memory(struct ft_body_builder *builder);
/* Whether an instruction's store or load may be renamed (struct ft_core, renames_memory). */
bool ft_body_is_direct(const struct ft_body_instruction *instruction);
/* Of what an instruction loads, unless that is renamed. */
double ft_body_forward_cycles(const struct ft_core *core, const struct ft_body_instruction *load);
/* From an instruction's store to another's load. */
bool ft_body_add_flow(struct ft_body_builder *builder, const struct ft_body_flow *flow);

#endif
