/*
 * Recurrences of a loop: strongly connected components of its dependence graph along flow, through
 * registers and memory. The cycle of maximum latency per distance bounds the rate at which
 * iterations can start (RecMII, Rau's recurrence-constrained minimum initiation interval).
 * Immutable, owns its memory.
 */
#ifndef FT_ENGINE_PROGRAM_DEPENDENCES_RECURRENCES_H
#define FT_ENGINE_PROGRAM_DEPENDENCES_RECURRENCES_H

#include "engine/program/dependences/dependences.h"

struct ft_recurrence {
    uint32_t first_node, node_count; /* nodes[first_node ...] of the recurrences, ascending */
    bool through_memory;             /* the cycle has a flow through memory */
    /* The critical cycle: an iteration takes at least cycle_latency / cycle_distance. */
    uint64_t cycle_latency, cycle_distance;
    uint32_t first_of_cycle, cycle_nodes; /* cycle[first_of_cycle ...], in order */
};

struct ft_recurrences {
    struct ft_recurrence *items; /* most latency per iteration first */
    size_t count;
    uint32_t *nodes;
    uint32_t *cycle;
};

/* latencies: per node, from operands to result; NULL: 1 each. pessimistic: follows assumed edges
 * too, if the graph has them. */
int ft_recurrences_find(const struct ft_loop_dependences *loop, bool pessimistic,
                        const uint32_t *latencies, struct ft_recurrences *ret_recurrences,
                        struct ft_diag *diag);
void ft_recurrences_fini(struct ft_recurrences *recurrences);

#endif
