/*
 * Simulates a machine's caches on a trace and sums the misses by scope.
 *
 * One row per scope: its accesses, then for each level its misses, fully associative and
 * set-associative. `own` is exclusive of nested scopes. The scopes have their machine code.
 */
#ifndef FT_ENGINE_SIMULATE_SIMULATE_TRACE_H
#define FT_ENGINE_SIMULATE_SIMULATE_TRACE_H

#include "engine/simulate/simulate.h"
#include "formats/scopes/scopes.h"
#include "formats/trace/trace.h"

struct ft_simulated_trace {
    char *content_hash;
    struct ft_metadata metadata;
    uint32_t thread_count;
    struct ft_scopes scopes;
    size_t width;       /* columns of a row */
    double *own;        /* [scope * width + column]; integers */
    double *blocks;     /* [basic block * width + column]; likewise */
    double *references; /* [reference * width + column]; likewise */
};

/* The columns of the misses in a level; column 0 is accesses. */
static inline size_t ft_simulated_fully_assoc_column(size_t level)
{
    return 1 + 2 * level;
}
static inline size_t ft_simulated_set_assoc_column(size_t level)
{
    return 2 + 2 * level;
}

/* progress may be NULL. */
int ft_simulate_trace(struct ft_trace *trace, const struct ft_machine *machine,
                      struct ft_progress *progress, struct ft_simulated_trace *ret_simulated,
                      struct ft_diag *diag);
/* Sums the misses of a simulation whose references are those of the scopes: sets width, own and
 * blocks. */
int ft_simulated_trace_sum(const struct ft_simulation *simulation, const struct ft_machine *machine,
                           struct ft_simulated_trace *simulated, struct ft_diag *diag);
void ft_simulated_trace_fini(struct ft_simulated_trace *simulated);

#endif
