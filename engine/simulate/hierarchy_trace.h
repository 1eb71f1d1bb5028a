/*
 * Runs a trace through the hierarchies of several machines at once, and finds where its references
 * stand.
 */
#ifndef FT_ENGINE_SIMULATE_HIERARCHY_TRACE_H
#define FT_ENGINE_SIMULATE_HIERARCHY_TRACE_H

#include "engine/simulate/hierarchy.h"
#include "formats/scopes.h"
#include "formats/trace/trace.h"

struct ft_hierarchy_trace {
    char *content_hash;
    struct ft_metadata metadata;
    struct ft_scopes scopes;
    uint64_t *accesses; /* [reference] */
    struct ft_hierarchy **hierarchies;
    size_t hierarchy_count;
};

/* Takes a source of runs to its end, as ft_replay_run does. */
typedef int ft_run_consumer(void *context, struct ft_run_source *source, struct ft_diag *diag);

/* One hierarchy for each machine; the machines must outlive the result. `consume`, unless NULL, is
 * given the runs in the same pass. */
int ft_hierarchy_trace_run(const char *path, const struct ft_machine *machines,
                           size_t machine_count, uint64_t seed, ft_run_consumer *consume,
                           void *context, struct ft_hierarchy_trace *ret_traced,
                           struct ft_diag *diag);
void ft_hierarchy_trace_fini(struct ft_hierarchy_trace *traced);

#endif
