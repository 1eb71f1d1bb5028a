/*
 * The first pass over the trace counts executions and accesses, from which the scope tree is built;
 * the second one, over fetches, counts how often each instruction was executed and how many
 * iterations loops made.
 *
 * In this order: work by scope, masked lanes, both passes, the report, routines by name.
 */
#include "engine/commands/structure/report.h"

#include <stdlib.h>
#include <string.h>

#include "engine/program/counted_work.h"
#include "engine/program/graph/trace_executions.h"
#include "engine/program/mix/masked_lanes.h"
#include "formats/base/demangle.h"
#include "formats/base/file_name.h"
#include "formats/commands/scope_report.h"
#include "formats/trace/reference_table.h"

static int count_iterations_of(struct ft_trace *trace, uint32_t thread,
                               struct ft_trip_counter *counter, struct ft_progress *progress,
                               uint64_t *done, struct ft_diag *diag)
{
    struct ft_run_source *source = NULL;
    struct ft_run_batch batch = {.run_count = 1};
    int status = ft_trace_runs_of(trace, thread, FT_RUN_FETCHES, NULL, &source, diag);
    while (!status && batch.run_count) {
        status = source->next(source, &batch, diag);
        if (!status)
            status = ft_trip_counter_take(counter, &batch, diag);
        for (size_t r = 0; !status && r < batch.run_count; r++)
            *done += batch.runs[r].reference_count * batch.runs[r].iteration_count;
        ft_progress_update(progress, *done, ft_trace_metadata(trace)->instructions, "instructions");
    }
    if (!status)
        status = ft_trip_counter_end_thread(counter, diag);
    if (source)
        source->destroy(source);
    return status;
}

/* What is nested in a loop is part of it. */
static void add_nested(struct ft_structure_report *report)
{
    const struct ft_scopes *scopes = &report->structure.scopes;
    for (size_t i = scopes->scope_count; i-- > 1;) { /* parents come before children */
        struct ft_scope_work *outer = &report->work[scopes->scopes[i].parent];
        outer->instructions += report->work[i].instructions;
        outer->accesses += report->work[i].accesses;
    }
}

/* Of several versions of an instruction the first is taken for the class of all. */
static void add_instruction(struct ft_structure_report *report,
                            const struct ft_scoped_reference *fetch, uint64_t pc,
                            uint64_t executions)
{
    const struct ft_flow_graph *graph = &report->structure.graph;
    const uint32_t index = ft_flow_graph_instruction_at(graph, pc, 0);
    report->work[fetch->scope].instructions += executions;
    ft_mix_add_instruction(&report->block_mixes[fetch->block],
                           index == FT_NO_BLOCK ? NULL : graph->instructions[index], executions);
}

static void add_work(struct ft_structure_report *report, const struct ft_scope_steps *steps,
                     const uint64_t *accesses, const uint64_t *executions,
                     const struct ft_trips *trips)
{
    const struct ft_structure *structure = &report->structure;
    const struct ft_scopes *scopes = &structure->scopes;
    for (size_t r = 0; r < scopes->reference_count; r++) {
        const struct ft_scoped_reference *reference = &scopes->references[r];
        if (reference->kind != FT_FETCH)
            report->work[reference->scope].accesses += accesses[r];
        ft_mix_add_accesses(&report->block_mixes[reference->block],
                            (enum ft_access_kind)reference->kind, reference->size_bytes,
                            accesses[r]);
    }
    for (size_t i = 0; i < steps->count; i++)
        add_instruction(report, &scopes->references[steps->first + i], steps->steps[i].pc,
                        executions[i]);
    for (size_t i = 0; i < scopes->scope_count; i++)
        report->work[i].first_loop = FT_NO_LOOP;
    for (uint32_t l = 0; l < structure->loops.count; l++) {
        struct ft_scope_work *work = &report->work[structure->scope_of_loop[l]];
        if (work->machine_loops++ == 0)
            work->first_loop = l;
        ft_trips_add(&work->trips, &trips[l]);
    }
    add_nested(report);
}

/* Accesses that tell of lanes, by the instruction; of one that stands in several versions none. */
static void list_lanes(const struct ft_structure_report *report, uint64_t *accessed)
{
    const struct ft_flow_graph *graph = &report->structure.graph;
    const struct ft_scopes *scopes = &report->structure.scopes;
    for (size_t i = 0; i < graph->instruction_count; i++)
        accessed[i] = FT_LANES_UNKNOWN;
    for (size_t r = 0; r < scopes->reference_count; r++) {
        const struct ft_scoped_reference *reference = &scopes->references[r];
        const struct ft_flow_block *block = &graph->blocks[reference->block];
        const uint64_t pc = block->pc + (reference->offset - block->offset);
        const size_t position = ft_flow_graph_first_from(graph, pc);
        const uint32_t index = ft_flow_graph_instruction_at(graph, pc, 0);
        if (reference->kind == FT_FETCH || index == FT_NO_BLOCK ||
            reference->access_index >= graph->instructions[index]->access_count ||
            !ft_access_reveals_lanes(graph->instructions[index], reference->access_index) ||
            (position + 1 < graph->instruction_count &&
             graph->instructions[graph->by_pc[position + 1]]->pc == pc))
            continue;
        accessed[index] = report->reference_accesses[r];
    }
}

/* What masks left out, where it is known. */
static int leave_out_lanes(struct ft_structure_report *report, struct ft_diag *diag)
{
    const struct ft_flow_graph *graph = &report->structure.graph;
    uint64_t *accessed = malloc((graph->instruction_count + 1) * sizeof *accessed);
    uint64_t *lanes = malloc((graph->instruction_count + 1) * sizeof *lanes);
    int status = accessed && lanes ? FT_OK : ft_fail_memory(diag, "the lanes of vectors");
    if (!status) {
        list_lanes(report, accessed);
        status = ft_masked_lanes_find(graph, accessed, lanes, diag);
    }
    for (size_t i = 0; !status && i < graph->instruction_count; i++) {
        const uint32_t block = graph->block_of[i];
        if (lanes[i] != FT_LANES_UNKNOWN)
            ft_mix_leave_out(&report->block_mixes[block], graph->instructions[i],
                             graph->blocks[block].execution_count, lanes[i]);
    }
    free(accessed);
    free(lanes);
    return status;
}

static int add_walked_work(struct ft_structure_report *report, const struct ft_scope_steps *steps,
                           const uint64_t *accesses, struct ft_progress *progress,
                           struct ft_diag *diag)
{
    struct ft_trip_counter *counter = NULL;
    uint64_t done = 0;
    int status = ft_trip_counter_create(steps, &counter, diag);
    for (uint32_t t = 0; !status && t < ft_trace_thread_count(report->trace); t++)
        status = count_iterations_of(report->trace, t, counter, progress, &done, diag);
    if (!status)
        add_work(report, steps, accesses, ft_trip_counter_executions(counter),
                 ft_trip_counter_loops(counter));
    if (!status)
        status = leave_out_lanes(report, diag);
    ft_trip_counter_destroy(counter);
    return status;
}

static int add_counted_work(struct ft_structure_report *report, const struct ft_scope_steps *steps,
                            const uint64_t *accesses, struct ft_diag *diag)
{
    uint64_t *executions = calloc(steps->count + 1, sizeof *executions);
    struct ft_trips *trips = calloc(report->structure.loops.count + 1, sizeof *trips);
    int status = executions && trips ? FT_OK : ft_fail_memory(diag, "a report");
    if (!status) {
        ft_counted_executions(&report->structure, steps, executions);
        ft_counted_trips(&report->structure, &report->loop_edges, trips);
        add_work(report, steps, accesses, executions, trips);
    }
    free(executions);
    free(trips);
    return status;
}

static int count_work(struct ft_structure_report *report, const struct ft_run_source *references,
                      const uint64_t *accesses, struct ft_progress *progress, struct ft_diag *diag)
{
    struct ft_scope_steps steps = {0};
    int status = ft_scope_steps_make(&report->structure, references->references,
                                     references->reference_count, &steps, diag);
    if (!status && report->only_counts)
        status = add_counted_work(report, &steps, accesses, diag);
    else if (!status)
        status = add_walked_work(report, &steps, accesses, progress, diag);
    ft_scope_steps_fini(&steps);
    return status;
}

static int choose_scopes(struct ft_structure_report *report, size_t limit, bool folds,
                         struct ft_diag *diag)
{
    const struct ft_scopes *scopes = &report->structure.scopes;
    double *weights = calloc(scopes->scope_count + 1, sizeof *weights);
    if (!weights)
        return ft_fail_memory(diag, "a report");
    for (size_t i = 0; i < scopes->scope_count; i++)
        weights[i] = (double)report->work[i].instructions + (double)report->work[i].accesses;
    int status = folds ? ft_startup_fold_init(&report->startup, scopes, weights, diag) : FT_OK;
    free(report->list);
    report->list = NULL;
    if (!status)
        status = ft_scopes_select(scopes, weights, limit, &report->list, &report->count, diag);
    free(weights);
    return status;
}

int ft_structure_fold_startup(struct ft_structure_report *report, size_t loops,
                              struct ft_diag *diag)
{
    return choose_scopes(report, loops, true, diag);
}

static int make(struct ft_structure_report *report, const struct ft_run_source *references,
                size_t loops, struct ft_progress *progress, struct ft_diag *diag)
{
    struct ft_execution_counts counts = {0};
    struct ft_structure *structure = &report->structure;
    uint64_t *accesses = report->reference_accesses =
        calloc(references->reference_count + (size_t)1, sizeof *accesses);
    int status = accesses ? ft_trace_executions(report->trace, accesses, &counts, diag)
                          : ft_fail_memory(diag, "the references of a trace");
    if (!status)
        status = ft_structure_of_trace(report->trace, &counts, references->references,
                                       references->reference_count, NULL, structure, diag);
    ft_execution_counts_fini(&counts);
    if (!status)
        status = ft_block_exits_find(&structure->graph, &structure->routines, &report->exits, diag);
    if (!status)
        status = ft_loop_edges_find(&structure->graph, &structure->routines, &structure->loops,
                                    &report->exits, &report->loop_edges, diag);
    if (!status) {
        report->work = calloc(structure->scopes.scope_count + 1, sizeof *report->work);
        report->block_mixes =
            calloc(structure->scopes.block_count + 1, sizeof *report->block_mixes);
        status = report->work && report->block_mixes ? FT_OK : ft_fail_memory(diag, "a report");
    }
    if (!status)
        status = count_work(report, references, accesses, progress, diag);
    return status ? status : choose_scopes(report, loops, false, diag);
}

/* Without runs the references come from the code alone. */
static int make_of_counts(struct ft_structure_report *report, size_t loops,
                          struct ft_progress *progress, struct ft_diag *diag)
{
    struct ft_reference_table table;
    int status =
        ft_reference_table_init(&table, report->trace, FT_RUN_ACCESSES | FT_RUN_FETCHES, diag);
    if (status)
        return status;
    const struct ft_run_source references = {.references = table.references,
                                             .reference_count = table.reference_count};
    status = make(report, &references, loops, progress, diag);
    ft_reference_table_fini(&table);
    return status;
}

int ft_structure_report_make(struct ft_trace *trace, size_t loops, struct ft_progress *progress,
                             struct ft_structure_report *ret_report, struct ft_diag *diag)
{
    struct ft_structure_report report = {.trace = trace,
                                         .only_counts = ft_trace_counts(trace) != NULL};
    struct ft_run_source *references;
    for (size_t id = 1; id <= ft_trace_unit_count(trace); id++)
        report.unit_count += ft_trace_unit(trace, (uint32_t)id) != NULL;
    if (ft_trace_thread_count(trace) == 0)
        return ft_fail(diag, FT_ERROR_DATA, "the trace has no log of any thread");
    int status;
    if (report.only_counts) {
        status = make_of_counts(&report, loops, progress, diag);
    } else {
        status =
            ft_trace_runs_of(trace, 0, FT_RUN_ACCESSES | FT_RUN_FETCHES, NULL, &references, diag);
        if (status)
            return status;
        status = make(&report, references, loops, progress, diag);
        references->destroy(references);
    }
    if (status)
        ft_structure_report_fini(&report);
    else
        *ret_report = report;
    return status;
}

void ft_structure_report_fini(struct ft_structure_report *report)
{
    ft_structure_fini(&report->structure);
    ft_block_exits_fini(&report->exits);
    ft_loop_edges_fini(&report->loop_edges);
    ft_structure_groups_free(report->groups);
    ft_structure_dependences_free(report->dependences);
    ft_structure_schedules_free(report->schedules);
    free(report->reference_accesses);
    free(report->work);
    free(report->block_mixes);
    free(report->list);
    ft_startup_fold_fini(&report->startup);
    *report = (struct ft_structure_report){0};
}

/* ---- names ---- */

static const char *module_name(const struct ft_structure *structure, uint32_t routine)
{
    uint32_t module = structure->routines.items[routine].module;
    return module == FT_NO_MODULE ? "" : structure->scopes.modules[module].name;
}

static bool is_named(const struct ft_structure *structure, uint32_t routine, const char *name,
                     size_t length)
{
    const char *shown = structure->scopes.scopes[structure->scope_of_routine[routine]].name;
    const char *symbol = structure->routines.items[routine].symbol;
    bool as_shown = strncmp(shown, name, length) == 0 && (!shown[length] || shown[length] == '(');
    return as_shown || (strncmp(symbol, name, length) == 0 && !symbol[length]);
}

int ft_structure_report_routine(const struct ft_structure_report *report, const char *name,
                                uint32_t *ret_routine, struct ft_diag *diag)
{
    const struct ft_structure *structure = &report->structure;
    const char *at = strrchr(name, '@');
    uint32_t found[2] = {0};
    size_t count = 0;
    for (uint32_t r = 0; r < structure->routines.count; r++) {
        bool matches = is_named(structure, r, name, strlen(name)) ||
                       (at && strcmp(module_name(structure, r), at + 1) == 0 &&
                        is_named(structure, r, name, (size_t)(at - name)));
        if (matches && count < 2)
            found[count] = r;
        count += matches;
    }
    if (count == 0 && ft_structure_is_inlined(report, name)) {
        *ret_routine = FT_NO_ROUTINE;
        return FT_OK;
    }
    if (count == 0)
        return ft_fail(diag, FT_ERROR_USAGE,
                       "no routine %s was executed; list those that were with a large --loops",
                       name);
    if (count > 1)
        return ft_fail(
            diag, FT_ERROR_USAGE,
            "%zu routines are called %s, in %s and %s: use %s@MODULE, or the name in the "
            "symbol table",
            count, name, module_name(structure, found[0]), module_name(structure, found[1]), name);
    *ret_routine = found[0];
    return FT_OK;
}

void ft_structure_line(const struct ft_module *module, uint64_t offset, char *text,
                       size_t size_bytes)
{
    const struct ft_line *line = module ? ft_module_line(module, offset) : NULL;
    *text = 0;
    if (line)
        snprintf(text, size_bytes, "%s:%u", ft_file_name(module->strings + line->file), line->line);
}
