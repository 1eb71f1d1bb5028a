/*
 * Runs a trace through the hierarchies of several machines at once, thread t on core t, and finds
 * where its references stand, or which data each of them touches: then references are pairs of one
 * and an object (engine/data/data_runs.h).
 */
#ifndef FT_ENGINE_COMMANDS_SIMULATE_HIERARCHY_TRACE_H
#define FT_ENGINE_COMMANDS_SIMULATE_HIERARCHY_TRACE_H

#include "engine/data/data_runs.h"
#include "engine/simulate/hierarchy/hierarchy.h"
#include "formats/cli/options.h"
#include "formats/scopes/scopes.h"
#include "formats/trace/trace.h"

struct ft_hierarchy_trace {
    struct ft_trace *trace;
    uint32_t thread_count;
    struct ft_scopes scopes;   /* empty where data is asked for */
    struct ft_data_runs *data; /* NULL where it is not */
    size_t reference_count;    /* fetches are references too, where they are asked for */
    uint8_t *kinds;            /* [reference]: enum ft_access_kind */
    uint64_t *accesses;        /* [reference] */
    uint32_t *instructions;    /* [reference]: with data the first pair of its reference, or NULL */
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
    unsigned callers;                 /* by data, as for ft_data_runs_create; 0: by place */
};

/* Of the one operand of a command. */
int ft_hierarchy_trace_run(const struct ft_arguments *arguments,
                           const struct ft_hierarchy_question *question,
                           struct ft_hierarchy_trace *ret_traced, struct ft_diag *diag);
void ft_hierarchy_trace_fini(struct ft_hierarchy_trace *traced);

#endif
