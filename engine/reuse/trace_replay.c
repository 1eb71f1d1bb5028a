/*
 * Each thread's log is read once (thread_reader.h), independently or side by side with the others;
 * each stack of the layouts takes what its threads read; then the results are combined.
 */
#include "engine/reuse/trace_replay.h"

#include <omp.h>
#include <stdlib.h>

#include "engine/program/block_code.h"
#include "engine/program/graph/trace_executions.h"
#include "engine/program/scope_sources.h"
#include "engine/program/structure.h"
#include "engine/reuse/joined_stacks.h"
#include "engine/reuse/segments/thread_segments.h"
#include "engine/reuse/stacks/data_stacks.h"
#include "engine/reuse/threads/shared_stacks.h"
#include "formats/histograms/conservation.h"
#include "formats/trace/trace_reader.h"

/* ---- private stacks by themselves ---- */

static int read_stack(struct ft_trace_work *work, struct ft_trace_stack *stack,
                      struct ft_thread_reader *reader, struct ft_listener listener,
                      struct ft_diag *diag)
{
    const bool follows = work->follows_scopes && stack->layout->in_sum;
    const struct ft_stack_log segments = {
        .trace = work->trace,
        .thread = stack->layout->threads[0],
        .content = stack->layout->content | (follows ? FT_RUN_FETCHES : 0),
        .references = work->fetches,
        .reference_count = work->fetches ? ft_trace_work_reference_count(work) : 0,
        .pairs = work->pass->options->pairs && stack->layout->in_sum,
        .steps = follows ? &work->steps : NULL,
        .pass = work->pass,
        .listener = listener,
        .key = {.trace = work->pass->subject->number,
                .layout = (uint32_t)(stack - work->stacks),
                .first_size = work->pass->first_size,
                .size_count = (uint32_t)work->pass->sizes.count,
                .region_shift = work->pass->region_shift,
                .is_alone = work->pass->is_alone},
        .is_part = stack->is_part,
        .part = stack->part,
        .budget = &work->budget,
        .home_thread = work->home_thread,
    };
    struct ft_thread_segments_report report;
    int status = ft_thread_segments_replay(&segments, reader, stack->dense, &report, diag);
    stack->retry = report.retry;
    stack->helper_cpu_seconds = report.helper_cpu_seconds;
    stack->is_stopped = report.is_stopped;
    return status;
}

/* Fetches are read for themselves; executions and progress are counted with the accesses. */
static int replay_fetches(struct ft_trace_work *work, struct ft_trace_stack *stack,
                          struct ft_diag *diag)
{
    struct ft_thread_reader reader = {0};
    struct ft_listener listener = work->pass->listener;
    listener.is_beside = true;
    int status = read_stack(work, stack, &reader, listener, diag);
    ft_thread_reader_fini(&reader);
    return status;
}

static int replay_thread(struct ft_trace_work *work, struct ft_trace_stack *stack,
                         struct ft_diag *diag)
{
    const uint32_t thread = stack->layout->threads[0];
    struct ft_thread_reader *reader = &work->readers[thread];
    if (stack->layout->content != FT_RUN_ACCESSES)
        return replay_fetches(work, stack, diag);
    int status = read_stack(work, stack, reader, work->pass->listener, diag);
    if (thread != 0) /* the first one's references are still needed */
        ft_thread_reader_close(reader);
    return status;
}

/* The failure of the first thread, so that it is the same for any number of ours. */
static int replay_threads(struct ft_trace_work *work, struct ft_diag *diag)
{
    const size_t count = work->layouts.count;
    struct ft_diag *diags = calloc(count + 1, sizeof *diags);
    int *statuses = calloc(count + 1, sizeof *statuses);
    int status = diags && statuses ? FT_OK : ft_fail_memory(diag, "threads");
#pragma omp taskloop grainsize(1) if (!status) shared(work, diags, statuses)
    for (size_t i = 0; i < count; i++)
        if (diags && statuses)
            statuses[i] = replay_thread(work, &work->stacks[i], &diags[i]);
    for (size_t i = 0; !status && i < count; i++)
        if (statuses[i]) {
            status = statuses[i];
            *diag = diags[i];
        }
    free(diags);
    free(statuses);
    return status;
}

/* ---- the whole ---- */

/* Where accesses follow no stride, their lowest address is no base. */
static uint64_t base_of(const struct ft_reference_motion *motion)
{
    const int64_t seen = ft_seen_stride(&motion->seen);
    if (motion->stride != FT_STRIDE_NONE)
        return motion->base;
    return seen == FT_STRIDE_NONE || seen == FT_STRIDE_MIXED ? FT_ADDRESS_NONE
                                                             : motion->seen.lowest;
}

/* Motions and executions of all threads. */
static int add_readers(struct ft_trace_work *work, struct ft_histograms *histograms,
                       struct ft_execution_counts *counts, struct ft_diag *diag)
{
    struct ft_reference_motion *motions =
        calloc(histograms->reference_count + (size_t)1, sizeof *motions);
    if (!motions)
        return ft_fail_memory(diag, "references");
    for (size_t r = 0; r < histograms->reference_count; r++)
        motions[r] = ft_reference_motion_none();
    int status = FT_OK;
    for (uint32_t t = 0; !status && t < work->thread_count; t++) {
        const struct ft_thread_reader *reader = &work->readers[t];
        for (uint32_t r = 0; r < reader->first_fetch; r++) {
            ft_reference_runs_add(&motions[r], reader->motions[r].stride, reader->motions[r].base);
            ft_seen_steps_join(&motions[r].seen, &reader->motions[r].seen);
        }
        status = ft_execution_counts_add(counts, &reader->counts, ft_trace_unit_count(work->trace),
                                         diag);
    }
    for (size_t r = 0; r < histograms->reference_count; r++) {
        histograms->reference_strides[r] = motions[r].stride;
        histograms->seen_strides[r] = ft_seen_stride(&motions[r].seen);
        histograms->reference_bases[r] = base_of(&motions[r]);
    }
    free(motions);
    return status;
}

/* The scope tree, and for whom it may concern the code that it stands for. */
static int find_scopes(const struct ft_trace_work *work, const struct ft_execution_counts *counts,
                       struct ft_histograms *histograms, struct ft_diag *diag)
{
    struct ft_structure structure, *wanted = work->pass->subject->structure;
    FT_TRY(ft_structure_of_trace(work->trace, counts, ft_trace_work_references(work)->references,
                                 ft_trace_work_reference_count(work), histograms->reference_strides,
                                 &structure, diag));
    int status = ft_block_code_add(&structure, diag);
    if (status == FT_OK)
        status = ft_scope_sources_copy(work->trace, &structure.scopes, diag);
    histograms->scopes = structure.scopes;
    structure.scopes = (struct ft_scopes){0};
    if (status == FT_OK && wanted) {
        ft_structure_fini(wanted);
        *wanted = structure;
    } else {
        ft_structure_fini(&structure);
    }
    return status;
}

static int finish(struct ft_trace_work *work, struct ft_histograms *histograms,
                  struct ft_diag *diag)
{
    struct ft_execution_counts counts = {0};
    int status = ft_stacks_join(&work->layouts, work->dense, histograms, diag);
    if (!status)
        status = add_readers(work, histograms, &counts, diag);
    if (!status)
        status = find_scopes(work, &counts, histograms, diag);
    ft_execution_counts_fini(&counts);
    if (!status && work->data)
        status = ft_data_stacks_finish(work->data, &work->by_pair, histograms, diag);
    if (!status)
        status = ft_conservation_note(histograms, diag);
    return status;
}

static bool reads_side_by_side(const struct ft_trace_work *work)
{
    if (work->data)
        return true;
    for (size_t i = 0; i < work->layouts.count; i++)
        if (ft_stack_layout_is_shared(&work->layouts.layouts[i]))
            return true;
    return false;
}

/* A part of the trace's work is the same part of that of all stacks, one behind the other. */
static void share_stacks(struct ft_trace_work *work)
{
    const struct ft_work_range *part = &work->pass->subject->part;
    const uint64_t trace_work = ft_trace_work(work->trace);
    uint64_t sum = 0, first = 0;
    for (size_t i = 0; i < work->layouts.count; i++)
        sum += ft_log_work(work->trace, work->layouts.layouts[i].threads[0],
                           work->layouts.layouts[i].content);
    if (trace_work == 0)
        return;
    const struct ft_work_range whole = {ft_work_share(sum, part->first, trace_work),
                                        ft_work_share(sum, part->end, trace_work)};
    for (size_t i = 0; i < work->layouts.count; i++) {
        struct ft_trace_stack *stack = &work->stacks[i];
        uint64_t count =
            ft_log_work(work->trace, stack->layout->threads[0], stack->layout->content);
        stack->part = ft_work_inside(whole, first, count);
        first += count;
    }
}

/* Loops are known only from what ran: the steps of the program take a reading of their own. */
static int find_steps(struct ft_trace_work *work, struct ft_diag *diag)
{
    struct ft_execution_counts counts = {0};
    int status = ft_trace_executions(work->trace, NULL, &counts, diag);
    if (!status)
        status = ft_scope_steps_of_trace(work->trace, &counts, work->fetches->references,
                                         work->fetches->reference_count, &work->steps, diag);
    ft_execution_counts_fini(&counts);
    return status;
}

static int init(struct ft_trace_work *work, struct ft_diag *diag)
{
    ft_memory_budget_init(&work->budget, work->pass->options->memory_max,
                          work->pass->options->process_limit);
    if (work->thread_count == 0)
        return ft_fail(diag, FT_ERROR_DATA, "the trace has no log of any thread");
    int status = ft_stack_layouts_make(&work->pass->options->sharing, work->thread_count,
                                       &work->layouts, diag);
    if (status)
        return status;
    const size_t count = work->layouts.count;
    work->readers = calloc(work->thread_count + (size_t)1, sizeof *work->readers);
    work->stacks = calloc(count + 1, sizeof *work->stacks);
    work->dense = calloc(count + 1, sizeof *work->dense);
    if (!work->readers || !work->stacks || !work->dense)
        return ft_fail_memory(diag, "threads");
    for (size_t i = 0; i < count; i++)
        work->stacks[i] = (struct ft_trace_stack){.layout = &work->layouts.layouts[i],
                                                  .is_part = work->pass->subject->is_part,
                                                  .dense = &work->dense[i]};
    if (work->pass->subject->is_part)
        share_stacks(work);
    work->follows_scopes = work->pass->options->pairs;
    if (work->follows_scopes || work->pass->options->sharing.fetches)
        status = ft_trace_runs_of(work->trace, 0, FT_RUN_ACCESSES | FT_RUN_FETCHES, NULL,
                                  &work->fetches, diag);
    if (!status && work->pass->options->data)
        status = ft_data_runs_create(work->trace, FT_DATA_CALLERS, FT_RUN_ACCESSES, NULL, NULL,
                                     &work->data, diag);
    return status;
}

static void fini(struct ft_trace_work *work)
{
    for (size_t i = 0; work->dense && i < work->layouts.count; i++)
        ft_histograms_fini(&work->dense[i]);
    for (uint32_t t = 0; work->readers && t < work->thread_count; t++)
        ft_thread_reader_fini(&work->readers[t]);
    if (work->fetches)
        work->fetches->destroy(work->fetches);
    ft_scope_steps_fini(&work->steps);
    ft_data_runs_destroy(work->data);
    ft_histograms_fini(&work->by_pair);
    free(work->dense);
    free(work->stacks);
    free(work->readers);
    ft_stack_layouts_fini(&work->layouts);
}

/* Of several retries smaller regions come first: they may make the others unnecessary. */
static void report(const struct ft_trace_work *work, struct ft_trace_replay_report *report)
{
    for (size_t i = 0; work->stacks && i < work->layouts.count; i++) {
        const struct ft_trace_stack *stack = &work->stacks[i];
        report->helper_cpu_seconds += stack->helper_cpu_seconds;
        report->is_stopped = report->is_stopped || stack->is_stopped;
        if (report->retry == FT_RETRY_NONE || stack->retry == FT_RETRY_SMALLER_REGIONS)
            report->retry = stack->retry;
    }
    report->memory_bytes = atomic_load(&work->budget.peak);
    report->needed_bytes = atomic_load(&work->budget.needed);
    report->needed_noted = atomic_load(&work->budget.needed_noted);
}

int ft_trace_replay(const struct ft_replay_pass *pass, struct ft_histograms *histograms,
                    struct ft_trace_replay_report *ret_report, struct ft_diag *diag)
{
    struct ft_trace_work work = {
        .trace = pass->subject->trace,
        .pass = pass,
        .thread_count = ft_trace_thread_count(pass->subject->trace),
        .home_thread = omp_get_thread_num(),
    };
    int status = init(&work, diag);
    if (!status && work.follows_scopes)
        status = find_steps(&work, diag);
    if (!status)
        status = reads_side_by_side(&work) ? ft_shared_stacks_replay(&work, diag)
                                           : replay_threads(&work, diag);
    *ret_report = (struct ft_trace_replay_report){0};
    report(&work, ret_report);
    if (!status && !pass->subject->is_part)
        status = finish(&work, histograms, diag);
    fini(&work);
    return status;
}
