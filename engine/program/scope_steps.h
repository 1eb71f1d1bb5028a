/*
 * The scope tree as a program walks it: for each instruction the routine and the innermost loop
 * that it is in, and whether a block, a routine or a loop begins with it; so that whoever sees the
 * instructions of a thread in order (fetches of a run source) knows when loops and routines are
 * entered, repeated and left. Loops are those of the machine code: several may be one scope.
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
    uint32_t first; /* the reference of steps[0]; those of accesses stand before it */
    struct ft_scope_step *steps;
    size_t count;
    struct ft_step_loop *loops;
    size_t loop_count;
    uint32_t *routine_scopes; /* [routine] */
    bool *passed;             /* [step]: the walk comes to the same without it; NULL: none is */
};

void ft_scope_steps_fini(struct ft_scope_steps *steps);

#endif
