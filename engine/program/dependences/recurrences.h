/*
 * Recurrences of a loop: strongly connected components of its dependence graph along flow, through
 * registers and memory. Iterations cannot start faster than the cycle with the greatest latency per
 * distance allows (Rau's recurrence-constrained initiation interval). Immutable, owns its memory.
 */
#ifndef FT_ENGINE_PROGRAM_DEPENDENCES_RECURRENCES_H
#define FT_ENGINE_PROGRAM_DEPENDENCES_RECURRENCES_H

#include "engine/program/dependences/dependences.h"

struct ft_recurrence {
    uint32_t first_node, node_count; /* nodes[first_node ...] of the recurrences, rising */
    bool through_memory;             /* a flow through memory is on the cycle */
    /* The cycle with the greatest latency for its distance: cycle_latency / cycle_distance is what
     * an iteration takes at least. */
    uint64_t cycle_latency, cycle_distance;
    uint32_t first_of_cycle, cycle_nodes; /* cycle[first_of_cycle ...], in order */
};

struct ft_recurrences {
    struct ft_recurrence *items; /* the longest for an iteration first */
    size_t count;
    uint32_t *nodes;
    uint32_t *cycle;
};

/* latencies: per node, from its operands to its result; NULL: 1 each. Of the pessimistic graph,
 * where that was made, or of the optimistic one. */
int ft_recurrences_find(const struct ft_loop_dependences *loop, bool pessimistic,
                        const uint32_t *latencies, struct ft_recurrences *ret_recurrences,
                        struct ft_diag *diag);
void ft_recurrences_fini(struct ft_recurrences *recurrences);

#endif
