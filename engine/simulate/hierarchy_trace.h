/*
 * Runs a trace through the hierarchies of several machines at once, thread t on core t, and finds
 * where its references stand.
 */
#ifndef FT_ENGINE_SIMULATE_HIERARCHY_TRACE_H
#define FT_ENGINE_SIMULATE_HIERARCHY_TRACE_H

#include "engine/simulate/hierarchy.h"
#include "formats/base/options.h"
#include "formats/scopes.h"
#include "formats/trace/trace.h"

struct ft_hierarchy_trace {
    char *content_hash;
    struct ft_metadata metadata;
    uint32_t thread_count;
    struct ft_scopes scopes;
    uint64_t *accesses; /* [reference]; fetches are references too, where they are asked for */
    struct ft_hierarchy **hierarchies;
    size_t hierarchy_count;
};

/* Whoever takes the same runs in the same pass. */
struct ft_run_taker {
    int (*begin)(void *context, const struct ft_run_source *source, uint32_t thread_count,
                 struct ft_diag *diag);
    int (*take)(void *context, const struct ft_run_source *source, const struct ft_run_batch *batch,
                struct ft_diag *diag);
    void *context;
};

struct ft_hierarchy_question {
    const struct ft_machine *machines; /* one hierarchy each; they must outlive the result */
    size_t machine_count;
    uint64_t seed;
    unsigned content;                 /* enum ft_run_content */
    const struct ft_run_taker *taker; /* or NULL */
};

/* Of the one operand of a command. */
int ft_hierarchy_trace_run(const struct ft_arguments *arguments,
                           const struct ft_hierarchy_question *question,
                           struct ft_hierarchy_trace *ret_traced, struct ft_diag *diag);
void ft_hierarchy_trace_fini(struct ft_hierarchy_trace *traced);

#endif
