/*
 * Runs a trace through the hierarchies of several machines at once, thread t on core t, and finds
 * where its references stand, or which data each of them touches: then references are pairs of one
 * and an object (engine/data/data_runs.h).
 */
#ifndef FT_ENGINE_COMMANDS_SIMULATE_HIERARCHY_TRACE_H
#define FT_ENGINE_COMMANDS_SIMULATE_HIERARCHY_TRACE_H

#include "engine/data/data_runs.h"
#include "engine/simulate/hierarchy/hierarchy_run.h"
#include "formats/cli/options.h"
#include "formats/scopes/scopes.h"
#include "formats/trace/trace.h"

struct ft_hierarchy_trace {
    struct ft_trace *trace;
    struct ft_scopes scopes;   /* empty where data is asked for */
    struct ft_data_runs *data; /* NULL where it is not */
    uint32_t *instructions;    /* [reference]: with data the first pair of its reference, or NULL */
    struct ft_hierarchy_run run;
};

struct ft_hierarchy_question {
    const struct ft_machine *machines; /* one hierarchy each; they must outlive the result */
    size_t machine_count;
    uint64_t seed;
    bool causes;                      /* of misses */
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
