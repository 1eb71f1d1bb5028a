/*
 * A thread of a trace on a machine's core: all of it, or windows (stratified sampling: one in each
 * of so many equal parts of the run, at a random place). Before a window's measured instructions
 * the core runs FT_CORE_WARM_INSTRUCTIONS that don't count, behind them
 * FT_CORE_TAIL_INSTRUCTIONS; caches and branch predictor see the whole run.
 */
#ifndef FT_ENGINE_SIMULATE_CORE_CORE_OF_TRACE_H
#define FT_ENGINE_SIMULATE_CORE_CORE_OF_TRACE_H

#include "engine/simulate/core/core_samples.h"
#include "engine/simulate/core/core_walk.h"
#include "formats/base/progress.h"

#define FT_CORE_WARM_INSTRUCTIONS 2000U
#define FT_CORE_TAIL_INSTRUCTIONS 512U

struct ft_core_task {
    const struct ft_machine *machine; /* must outlive the result */
    uint32_t thread;
    uint64_t windows;             /* 0: everything */
    uint64_t window_instructions; /* measured */
    uint64_t seed;                /* of windows and of random replacement */
};

struct ft_core_of_trace {
    struct ft_core_model model;
    struct ft_scopes scopes;
    struct ft_core_row *rows; /* [scope], with the scopes nested in it */
    uint64_t instructions;    /* of the thread */
    uint64_t simulated;       /* of these, by the core, those that don't count among them */
    uint32_t window_count;    /* 1: everything was simulated */
    bool is_sampled;
    struct ft_walk_counts counts;
    char unknown_form[FT_FORM_BYTES]; /* the first that the core doesn't know; "": none */
};

/* progress may be NULL. */
int ft_core_of_trace_run(struct ft_trace *trace, const struct ft_core_task *task,
                         struct ft_progress *progress, struct ft_core_of_trace *ret_result,
                         struct ft_diag *diag);
void ft_core_of_trace_fini(struct ft_core_of_trace *result);

#endif
