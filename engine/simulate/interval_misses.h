/*
 * The misses of each part of a run: simulate.h, with misses by interval of so many accesses in the
 * place of references. Caches are not emptied between intervals, so these add up to the misses of
 * the whole run. Levels are simulated in parallel; the result does not depend on that.
 */
#ifndef FT_ENGINE_SIMULATE_INTERVAL_MISSES_H
#define FT_ENGINE_SIMULATE_INTERVAL_MISSES_H

#include "engine/simulate/simulate.h"
#include "formats/trace/trace.h"

struct ft_interval_misses {
    size_t level_count; /* those of the machine, in its order */
    size_t interval_count;
    uint64_t *accesses;          /* [interval] */
    uint64_t *set_associative;   /* [interval * level_count + level] */
    uint64_t *fully_associative; /* likewise */
};

/* interval_accesses: at least 1; what lies beyond interval_count of them is counted in the last
 * one. */
int ft_simulate_intervals(const struct ft_machine *machine, uint32_t thread_count,
                          ft_source_opener *open, void *context, uint64_t interval_accesses,
                          size_t interval_count, struct ft_progress *progress,
                          struct ft_interval_misses *ret_misses, struct ft_diag *diag);
/* Of all threads of a trace in one order (interleaving.h). */
int ft_trace_interval_misses(struct ft_trace *trace, const struct ft_machine *machine,
                             uint64_t interval_accesses, size_t interval_count,
                             struct ft_progress *progress, struct ft_interval_misses *ret_misses,
                             struct ft_diag *diag);
void ft_interval_misses_fini(struct ft_interval_misses *misses);

#endif
