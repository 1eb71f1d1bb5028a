/*
 * The scope tree by instruction: the routine and innermost loop of each, and whether it starts a
 * block, a routine or a loop, so that a thread's fetches, in order, show when loops and routines
 * are entered, iterated and left. Loops are those of the machine code; several may be one scope.
 * Plain data, owned; immutable once built.
 */
#ifndef FT_ENGINE_PROGRAM_SCOPE_STEPS_H
#define FT_ENGINE_PROGRAM_SCOPE_STEPS_H

#include <stdbool.h>

#include "engine/program/graph/loops.h"
#include "formats/expand/runs.h"

struct ft_scope_step {
    uint64_t pc, end;       /* of the instruction */
    uint64_t target;        /* where a direct branch leads */
    uint32_t routine, loop; /* loop: the innermost one or FT_NO_LOOP */
    uint8_t flow;           /* enum ft_flow */
    bool starts_block, starts_routine, heads_loop;
};

struct ft_step_loop {
    uint32_t parent; /* loop or FT_NO_LOOP */
    uint32_t scope;
};

struct ft_scope_steps {
    uint32_t first; /* the reference of steps[0]; references of accesses come before it */
    struct ft_scope_step *steps;
    size_t count;
    struct ft_step_loop *loops;
    size_t loop_count;
    uint32_t *routine_scopes; /* [routine] */
    bool *passed; /* [step]: the walk ends up in the same scopes without it; NULL: none can be
                     skipped */
};

struct ft_execution_counts;
struct ft_structure;
struct ft_trace;

/* references: those of a source with fetches, which come after all others. */
int ft_scope_steps_make(const struct ft_structure *structure, const struct ft_reference *references,
                        uint32_t reference_count, struct ft_scope_steps *ret_steps,
                        struct ft_diag *diag);
/* The same from a trace alone. Scopes are numbered as by ft_structure_build with the same
 * counts. */
int ft_scope_steps_of_trace(const struct ft_trace *trace, const struct ft_execution_counts *counts,
                            const struct ft_reference *references, uint32_t reference_count,
                            struct ft_scope_steps *ret_steps, struct ft_diag *diag);
void ft_scope_steps_fini(struct ft_scope_steps *steps);

#endif
