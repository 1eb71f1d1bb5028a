/*
 * One pass over the runs both simulates and counts executions; the scope tree is built from the
 * counts, and each reference's figures go to the row of the scope it stands in.
 */
#include "engine/simulate/simulate_trace.h"

#include <stdlib.h>
#include <string.h>

#include "engine/program/block_code.h"
#include "engine/program/scope_sources.h"
#include "engine/simulate/trace_runs.h"

static void add_reference(const struct ft_simulation *simulation, uint32_t reference, double *row)
{
    const uint32_t count = simulation->reference_count;
    row[0] += (double)simulation->accesses[reference];
    for (size_t i = 0; i < simulation->level_count; i++) {
        row[ft_simulated_fully_assoc_column(i)] +=
            (double)simulation->fully_associative_misses[i * count + reference];
        row[ft_simulated_set_assoc_column(i)] +=
            (double)simulation->set_associative_misses[i * count + reference];
    }
}

static void sum_up(const struct ft_simulation *simulation, struct ft_simulated_trace *simulated)
{
    for (uint32_t j = 0; j < simulation->reference_count; j++) {
        const struct ft_scoped_reference *place = &simulated->scopes.references[j];
        add_reference(simulation, j, simulated->references + j * simulated->width);
        add_reference(simulation, j, simulated->own + place->scope * simulated->width);
        add_reference(simulation, j, simulated->blocks + place->block * simulated->width);
    }
}

int ft_simulated_trace_sum(const struct ft_simulation *simulation, const struct ft_machine *machine,
                           struct ft_simulated_trace *simulated, struct ft_diag *diag)
{
    simulated->width = 1 + 2 * machine->level_count;
    simulated->own =
        calloc(simulated->scopes.scope_count * simulated->width, sizeof *simulated->own);
    simulated->blocks =
        calloc(simulated->scopes.block_count * simulated->width + 1, sizeof *simulated->blocks);
    simulated->references =
        calloc(simulation->reference_count * simulated->width + 1, sizeof *simulated->references);
    if (!simulated->own || !simulated->blocks || !simulated->references)
        return ft_fail_memory(diag, "a simulation");
    sum_up(simulation, simulated);
    return FT_OK;
}

/* The scope tree with its code and source files, which pages show. */
static int find_scopes(const struct ft_trace_runs *runs, struct ft_scopes *ret_scopes,
                       struct ft_diag *diag)
{
    struct ft_structure structure;
    FT_TRY(ft_structure_of_trace(runs->trace, &runs->counts, runs->source->references,
                                 runs->source->reference_count, NULL, &structure, diag));
    int status = ft_block_code_copy(&structure, diag);
    if (status == FT_OK)
        status = ft_scope_sources_copy(runs->trace, &structure.scopes, diag);
    *ret_scopes = structure.scopes;
    structure.scopes = (struct ft_scopes){0};
    ft_structure_fini(&structure);
    return status;
}

static int simulate_runs(struct ft_trace *trace, const struct ft_machine *machine,
                         struct ft_progress *progress, struct ft_simulation *simulation,
                         struct ft_simulated_trace *simulated, struct ft_diag *diag)
{
    struct ft_trace_runs runs = {.trace = trace, .counts_executions = true};
    int status = ft_simulate(machine, simulated->thread_count, ft_trace_runs_open, &runs, progress,
                             simulation, diag);
    if (status == FT_OK)
        status = find_scopes(&runs, &simulated->scopes, diag);
    ft_trace_runs_close(&runs);
    return status;
}

static int simulate(struct ft_trace *trace, const struct ft_machine *machine,
                    struct ft_progress *progress, struct ft_simulated_trace *simulated,
                    struct ft_diag *diag)
{
    struct ft_simulation simulation = {0};
    simulated->thread_count = ft_trace_thread_count(trace);
    int status = ft_metadata_copy(ft_trace_metadata(trace), &simulated->metadata, diag);
    if (status == FT_OK && !(simulated->content_hash = strdup(ft_trace_content_hash(trace))))
        status = ft_fail_memory(diag, "a simulation");
    if (status == FT_OK)
        status = simulate_runs(trace, machine, progress, &simulation, simulated, diag);
    if (status == FT_OK)
        status = ft_simulated_trace_sum(&simulation, machine, simulated, diag);
    ft_simulation_fini(&simulation);
    return status;
}

int ft_simulate_trace(struct ft_trace *trace, const struct ft_machine *machine,
                      struct ft_progress *progress, struct ft_simulated_trace *ret_simulated,
                      struct ft_diag *diag)
{
    struct ft_simulated_trace simulated = {0};
    int status = simulate(trace, machine, progress, &simulated, diag);
    if (status != FT_OK) {
        ft_simulated_trace_fini(&simulated);
        return status;
    }
    *ret_simulated = simulated;
    return FT_OK;
}

void ft_simulated_trace_fini(struct ft_simulated_trace *simulated)
{
    ft_metadata_fini(&simulated->metadata);
    free(simulated->content_hash);
    free(simulated->own);
    free(simulated->blocks);
    free(simulated->references);
    ft_scopes_fini(&simulated->scopes);
    *simulated = (struct ft_simulated_trace){0};
}
