/*
 * Walks the runs of a trace's thread, instruction by instruction in windows, whose executions go
 * to the core; elsewhere caches and branch predictor see what is executed, which costs less. One
 * thread at a time.
 */
#ifndef FT_ENGINE_SIMULATE_CORE_CORE_WALK_H
#define FT_ENGINE_SIMULATE_CORE_CORE_WALK_H

#include "engine/simulate/core/branch_predictor.h"
#include "engine/simulate/core/core_code.h"
#include "engine/simulate/core/core_simulation.h"
#include "engine/simulate/hierarchy/hierarchy.h"

/* An instruction on its way to the core: it goes on when the one behind it is known. */
struct ft_walked_instruction {
    const struct ft_core_code_entry *entry; /* NULL: none */
    uint32_t account;
    uint32_t fetch_cycles;
    bool measured, is_given; /* is_given: to the core, as a string's */
    struct ft_executed_access accesses[FT_EXECUTED_ACCESSES_MAX];
    uint32_t access_count;
};

/* Counts of what was executed in windows, measured. */
struct ft_walk_counts {
    uint64_t branches, mispredicted; /* of all kinds that are predicted */
    uint64_t unknown;                /* instructions that the core doesn't know */
    uint64_t dropped;                /* accesses beyond those of an instruction */
};

struct ft_core_walk {
    const struct ft_machine *machine;
    const struct ft_core_code *code;
    const struct ft_run_source *source;
    struct ft_hierarchy *hierarchy; /* of one core */
    struct ft_branch_predictor *predictor;
    struct ft_core_simulation *core;
    uint64_t *executed; /* [account]: measured instructions */
    struct ft_walk_counts counts;

    /* where it is */
    struct ft_run_batch batch;
    size_t run;
    uint64_t iteration;
    uint32_t entry;
    uint32_t line_shift, fetch_shift;

    /* state */
    uint32_t last; /* fetch that was walked last, account; UINT32_MAX: none */
    uint64_t fetch_line;
    struct ft_walked_instruction at;
    struct ft_walked_instruction held; /* waits for the branch that it fuses with */
    /* scratch */
    uint32_t *references;
    uint64_t *addresses;
    int64_t *strides;
    size_t reference_capacity, address_capacity, stride_capacity;
};

/* Everything up to `executed` is the caller's to set, and the rest 0. */
int ft_core_walk_start(struct ft_core_walk *walk, struct ft_diag *diag);
void ft_core_walk_fini(struct ft_core_walk *walk);

/* A batch of the source, to be walked from its start. */
void ft_core_walk_batch(struct ft_core_walk *walk, const struct ft_run_batch *batch);
/* Walks on until so many instructions have begun, or the batch ends; says how many. */
int ft_core_walk_warm(struct ft_core_walk *walk, uint64_t count, uint64_t *ret_walked,
                      struct ft_diag *diag);
int ft_core_walk_detailed(struct ft_core_walk *walk, uint64_t count, bool measured,
                          uint64_t *ret_walked, struct ft_diag *diag);
/* The instruction that is on its way goes to the core: a window ends, or the trace. */
int ft_core_walk_flush(struct ft_core_walk *walk, struct ft_diag *diag);

#endif
