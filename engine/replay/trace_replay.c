/*
 * A reader for each thread of the trace passes its batches on as they come, notes the strides of
 * runs before those are cut into slices, and serves the thread's private stack on the way.
 *
 * Each stack gives dense histograms, of which those of references that it saw are kept. One stack
 * alone is the trace's result; of several, those of one partition of the threads are added up.
 */
#include "engine/replay/trace_replay.h"

#include <omp.h>
#include <stdlib.h>
#include <string.h>

#include "engine/replay/interleaving.h"
#include "engine/structure/structure.h"
#include "formats/conservation.h"
#include "formats/trace/execution_counts.h"

struct reader {
    struct ft_run_source base; /* first, so that a source is cast to its whole */
    struct ft_run_source *inner;
    const struct ft_trace_replay_options *options;
    struct ft_replay *replay; /* that takes each batch, or NULL */
    int64_t *strides;         /* per reference */
    struct ft_execution_counts counts;
};

struct stack {
    struct ft_stack_plan plan;
    struct ft_replay *replay;
    struct ft_histograms dense; /* once it is finished */
    uint64_t memory_bytes;      /* likewise */
};

struct work {
    struct ft_trace *trace;
    const struct ft_trace_replay_options *options;
    uint32_t thread_count;
    struct reader *readers; /* [thread] */
    struct stack *stacks;
    size_t stack_count;
    size_t stacks_at_once; /* in memory */
};

/* ---- readers ---- */

static uint64_t note_batch(struct reader *reader, const struct ft_run_batch *batch)
{
    uint64_t accesses = 0;
    for (const struct ft_run *run = batch->runs; run < batch->runs + batch->run_count; run++) {
        accesses += run->reference_count * run->iteration_count;
        if (run->iteration_count > 1)
            for (size_t j = run->first; j < run->first + run->reference_count; j++)
                ft_stride_add(&reader->strides[batch->references[j]], batch->strides[j]);
    }
    return accesses;
}

static int reader_next(struct ft_run_source *source, struct ft_run_batch *ret_batch,
                       struct ft_diag *diag)
{
    struct reader *reader = (struct reader *)source;
    int status = reader->inner->next(reader->inner, ret_batch, diag);
    if (status)
        return status;
    uint64_t accesses = note_batch(reader, ret_batch);
    if (reader->options->tell)
        reader->options->tell(reader->options->context, accesses);
    return reader->replay && ret_batch->run_count ? ft_replay_take(reader->replay, ret_batch, diag)
                                                  : FT_OK;
}

static int open_reader(struct work *work, uint32_t thread, struct ft_diag *diag)
{
    struct reader *reader = &work->readers[thread];
    reader->options = work->options;
    int status = ft_trace_runs(work->trace, thread, &reader->counts, &reader->inner, diag);
    if (status)
        return status;
    reader->base = *reader->inner;
    reader->base.next = reader_next;
    reader->strides = malloc((reader->base.reference_count + (size_t)1) * sizeof(int64_t));
    if (!reader->strides)
        return ft_fail_memory(diag, "references");
    for (uint32_t r = 0; r < reader->base.reference_count; r++)
        reader->strides[r] = FT_STRIDE_NONE;
    return FT_OK;
}

/* All but what it counted. */
static void close_reader(struct reader *reader)
{
    if (reader->inner)
        reader->inner->destroy(reader->inner);
    reader->inner = NULL;
}

/* ---- stacks ---- */

static int begin_stack(struct work *work, struct stack *stack, const struct ft_run_source *source,
                       struct ft_diag *diag)
{
    const struct ft_trace_replay_options *options = work->options;
    int status = ft_replay_create(options->block_bytes, options->size_count, options->kernel,
                                  &stack->replay, diag);
    if (!status)
        ft_replay_limit(stack->replay, options->region_shift,
                        options->memory_most / work->stacks_at_once);
    return status
               ? status
               : ft_replay_begin(stack->replay, source->references, source->reference_count, diag);
}

static int end_stack(struct stack *stack, struct ft_diag *diag)
{
    int status = ft_replay_end(stack->replay, diag);
    stack->memory_bytes = ft_replay_bytes(stack->replay);
    if (!status)
        status = ft_replay_finish(stack->replay, &stack->dense, diag);
    ft_replay_destroy(stack->replay);
    stack->replay = NULL;
    return status;
}

/* A private stack by itself. */
static int replay_thread(struct work *work, struct stack *stack, struct ft_diag *diag)
{
    struct reader *reader = &work->readers[stack->plan.threads[0]];
    struct ft_run_batch batch = {.run_count = 1};
    int status = open_reader(work, stack->plan.threads[0], diag);
    if (!status)
        status = begin_stack(work, stack, &reader->base, diag);
    reader->replay = stack->replay;
    while (!status && batch.run_count)
        status = reader_next(&reader->base, &batch, diag);
    reader->replay = NULL;
    if (!status)
        status = end_stack(stack, diag);
    if (stack->plan.threads[0] != 0) /* the first one's references are still needed */
        close_reader(reader);
    return status;
}

/* The failure of the first thread, so that it is the same for any number of ours. */
static int replay_threads(struct work *work, struct ft_diag *diag)
{
    struct ft_diag *diags = calloc(work->stack_count + 1, sizeof *diags);
    int *statuses = calloc(work->stack_count + 1, sizeof *statuses);
    int status = diags && statuses ? FT_OK : ft_fail_memory(diag, "threads");
#pragma omp taskloop grainsize(1) if (!status) shared(work, diags, statuses)
    for (size_t i = 0; i < work->stack_count; i++)
        if (diags && statuses)
            statuses[i] = replay_thread(work, &work->stacks[i], &diags[i]);
    for (size_t i = 0; !status && i < work->stack_count; i++)
        if (statuses[i]) {
            status = statuses[i];
            *diag = diags[i];
        }
    free(diags);
    free(statuses);
    return status;
}

/* ---- shared stacks ---- */

/* [thread]: the shared stacks that it feeds, as numbers, ended by SIZE_MAX. */
static size_t **list_fed(const struct work *work)
{
    size_t **fed = calloc(work->thread_count + (size_t)1, sizeof *fed);
    for (uint32_t t = 0; fed && t < work->thread_count; t++) {
        size_t count = 0;
        fed[t] = malloc((work->stack_count + 1) * sizeof **fed);
        if (!fed[t])
            return fed;
        for (size_t i = 0; i < work->stack_count; i++)
            for (uint32_t k = 0;
                 work->stacks[i].plan.thread_count > 1 && k < work->stacks[i].plan.thread_count;
                 k++)
                if (work->stacks[i].plan.threads[k] == t)
                    fed[t][count++] = i;
        fed[t][count] = SIZE_MAX;
    }
    return fed;
}

static void free_fed(const struct work *work, size_t **fed)
{
    for (uint32_t t = 0; fed && t < work->thread_count; t++)
        free(fed[t]);
    free(fed);
}

static int feed_stacks(struct work *work, struct ft_interleaving *interleaving, size_t *const *fed,
                       struct ft_diag *diag)
{
    for (;;) {
        uint32_t thread = 0;
        struct ft_run_batch batch;
        int status = ft_interleaving_next(interleaving, &thread, &batch, diag);
        if (status || batch.run_count == 0)
            return status;
        for (const size_t *stack = fed[thread]; !status && *stack != SIZE_MAX; stack++)
            status = ft_replay_take(work->stacks[*stack].replay, &batch, diag);
        if (status)
            return status;
    }
}

static int replay_interleaved(struct work *work, const struct ft_thread_order *order,
                              struct ft_diag *diag)
{
    struct ft_interleaving *interleaving = NULL;
    struct ft_run_source **sources = calloc(work->thread_count + (size_t)1, sizeof *sources);
    size_t **fed = list_fed(work);
    int status = sources && fed ? FT_OK : ft_fail_memory(diag, "threads");
    for (uint32_t t = 0; !status && t < work->thread_count; t++) {
        sources[t] = &work->readers[t].base;
        status = fed[t] ? open_reader(work, t, diag) : ft_fail_memory(diag, "threads");
    }
    for (size_t i = 0; !status && i < work->stack_count; i++) {
        struct stack *stack = &work->stacks[i];
        status = begin_stack(work, stack, &work->readers[0].base, diag);
        if (stack->plan.thread_count == 1)
            work->readers[stack->plan.threads[0]].replay = stack->replay;
    }
    if (!status)
        status = ft_interleaving_create(sources, order, &interleaving, diag);
    if (!status)
        status = feed_stacks(work, interleaving, fed, diag);
    for (size_t i = 0; !status && i < work->stack_count; i++)
        status = end_stack(&work->stacks[i], diag);
    ft_interleaving_destroy(interleaving);
    free_fed(work, fed);
    free(sources);
    return status;
}

static int replay_shared(struct work *work, struct ft_diag *diag)
{
    struct ft_thread_order order;
    int status = ft_thread_order_read(work->trace, &order, diag);
    if (status)
        return status;
    status = replay_interleaved(work, &order, diag);
    ft_thread_order_fini(&order);
    return status;
}

/* ---- results ---- */

/* Keeps of a stack what it saw; its dense histograms are emptied. */
static int keep_stack(struct stack *stack, struct ft_histogram_stack *kept, struct ft_diag *diag)
{
    struct ft_histograms *dense = &stack->dense;
    const size_t sizes = dense->size_count;
    for (size_t r = 0; r < dense->reference_count; r++)
        kept->reference_count += dense->reference_accesses[r] > 0;
    kept->kind = strdup(stack->plan.thread_count > 1 ? "shared" : "private");
    kept->threads = ft_stack_plan_text(&stack->plan);
    kept->in_sum = stack->plan.in_sum;
    kept->distinct_blocks = dense->distinct_blocks;
    kept->touches = dense->touches;
    dense->distinct_blocks = dense->touches = NULL;
    size_t count = kept->reference_count;
    kept->references = calloc(count + 1, sizeof *kept->references);
    kept->reference_accesses = calloc(count + 1, sizeof *kept->reference_accesses);
    kept->histograms = calloc(count * sizes + 1, sizeof *kept->histograms);
    if (!kept->kind || !kept->threads || !kept->references || !kept->reference_accesses ||
        !kept->histograms)
        return ft_fail_memory(diag, "the histograms of threads");
    size_t at = 0;
    for (size_t r = 0; r < dense->reference_count; r++) {
        if (dense->reference_accesses[r] == 0)
            continue;
        kept->references[at] = (uint32_t)r;
        kept->reference_accesses[at] = dense->reference_accesses[r];
        memcpy(&kept->histograms[at * sizes], &dense->histograms[r * sizes],
               sizes * sizeof *kept->histograms);
        memset(&dense->histograms[r * sizes], 0, sizes * sizeof *kept->histograms);
        at++;
    }
    ft_histograms_fini(dense);
    return FT_OK;
}

static int make_empty(const struct work *work, struct ft_histograms *histograms,
                      struct ft_diag *diag)
{
    const size_t sizes = work->options->size_count;
    const size_t references = work->readers[0].base.reference_count;
    histograms->size_count = sizes;
    histograms->reference_count = references;
    histograms->block_bytes = calloc(sizes, sizeof *histograms->block_bytes);
    histograms->distinct_blocks = calloc(sizes, sizeof *histograms->distinct_blocks);
    histograms->touches = calloc(sizes, sizeof *histograms->touches);
    histograms->reference_accesses = calloc(references + 1, sizeof(uint64_t));
    histograms->reference_strides = calloc(references + 1, sizeof(int64_t));
    histograms->histograms = calloc(references * sizes + 1, sizeof *histograms->histograms);
    if (!histograms->block_bytes || !histograms->distinct_blocks || !histograms->touches ||
        !histograms->reference_accesses || !histograms->reference_strides ||
        !histograms->histograms)
        return ft_fail_memory(diag, "histograms");
    memcpy(histograms->block_bytes, work->options->block_bytes,
           sizes * sizeof *histograms->block_bytes);
    return FT_OK;
}

static void take_dense(struct ft_histograms *histograms, struct ft_histograms *dense)
{
    histograms->size_count = dense->size_count;
    histograms->reference_count = dense->reference_count;
    histograms->block_bytes = dense->block_bytes;
    histograms->distinct_blocks = dense->distinct_blocks;
    histograms->touches = dense->touches;
    histograms->reference_accesses = dense->reference_accesses;
    histograms->reference_strides = dense->reference_strides;
    histograms->histograms = dense->histograms;
    *dense = (struct ft_histograms){0};
}

static int add_stacks(struct work *work, struct ft_histograms *histograms, struct ft_diag *diag)
{
    int status = make_empty(work, histograms, diag);
    histograms->stacks = calloc(work->stack_count + 1, sizeof *histograms->stacks);
    if (!status && !histograms->stacks)
        status = ft_fail_memory(diag, "the histograms of threads");
    for (size_t i = 0; !status && i < work->stack_count; i++) {
        struct ft_histogram_stack *kept = &histograms->stacks[histograms->stack_count++];
        status = keep_stack(&work->stacks[i], kept, diag);
        if (!status && kept->in_sum)
            status = ft_histograms_add_stack(histograms, kept, diag);
    }
    return status;
}

/* Strides and executions of all threads. */
static int add_readers(struct work *work, struct ft_histograms *histograms,
                       struct ft_execution_counts *counts, struct ft_diag *diag)
{
    for (uint32_t r = 0; r < work->readers[0].base.reference_count; r++)
        histograms->reference_strides[r] = FT_STRIDE_NONE;
    int status = FT_OK;
    for (uint32_t t = 0; !status && t < work->thread_count; t++) {
        const struct reader *reader = &work->readers[t];
        for (uint32_t r = 0; r < reader->base.reference_count; r++)
            if (reader->strides[r] != FT_STRIDE_NONE)
                ft_stride_add(&histograms->reference_strides[r], reader->strides[r]);
        status = ft_execution_counts_add(counts, &reader->counts, ft_trace_unit_count(work->trace),
                                         diag);
    }
    return status;
}

static int finish(struct work *work, struct ft_histograms *histograms, struct ft_diag *diag)
{
    struct ft_execution_counts counts = {0};
    const struct ft_run_source *first = &work->readers[0].base;
    int status = FT_OK;
    if (work->stack_count == 1)
        take_dense(histograms, &work->stacks[0].dense);
    else
        status = add_stacks(work, histograms, diag);
    if (!status)
        status = add_readers(work, histograms, &counts, diag);
    if (!status)
        status = ft_structure_build(work->trace, &counts, first->references, first->reference_count,
                                    histograms->reference_strides, &histograms->scopes, diag);
    ft_execution_counts_fini(&counts);
    if (!status)
        status = ft_conservation_note(histograms, diag);
    return status;
}

static int make_stacks(struct work *work, const struct ft_stack_plans *plans, struct ft_diag *diag)
{
    work->readers = calloc(work->thread_count + (size_t)1, sizeof *work->readers);
    work->stacks = calloc(plans->count + 1, sizeof *work->stacks);
    if (!work->readers || !work->stacks)
        return ft_fail_memory(diag, "threads");
    work->stack_count = plans->count;
    for (size_t i = 0; i < plans->count; i++)
        work->stacks[i].plan = plans->plans[i];
    return FT_OK;
}

static bool any_shared(const struct work *work)
{
    for (size_t i = 0; i < work->stack_count; i++)
        if (work->stacks[i].plan.thread_count > 1)
            return true;
    return false;
}

/* Private stacks that are replayed by themselves live as long as their task. */
static size_t tasks_at_once(const struct work *work)
{
    size_t threads = (size_t)omp_get_num_threads();
    return threads < work->stack_count ? threads : work->stack_count;
}

/* Of several wishes smaller regions come first: they may make the other one needless. */
static void report(const struct work *work, struct ft_trace_replay_report *report)
{
    uint64_t largest = 0, sum = 0;
    for (size_t i = 0; i < work->stack_count; i++) {
        const struct stack *stack = &work->stacks[i];
        sum += stack->memory_bytes;
        largest = stack->memory_bytes > largest ? stack->memory_bytes : largest;
        enum ft_replay_wish wish = stack->replay ? ft_replay_wish(stack->replay) : FT_WISH_NONE;
        if (report->wish == FT_WISH_NONE || wish == FT_WISH_SMALLER_REGIONS)
            report->wish = wish;
    }
    largest *= work->stacks_at_once;
    report->memory_bytes = largest < sum ? largest : sum;
}

int ft_trace_replay(struct ft_trace *trace, const struct ft_trace_replay_options *options,
                    struct ft_histograms *histograms, struct ft_trace_replay_report *ret_report,
                    struct ft_diag *diag)
{
    struct work work = {
        .trace = trace, .options = options, .thread_count = ft_trace_thread_count(trace)};
    *ret_report = (struct ft_trace_replay_report){0};
    struct ft_stack_plans plans = {0};
    if (work.thread_count == 0)
        return ft_fail(diag, FT_ERROR_DATA, "no thread has a log");
    int status = ft_stack_plans_make(&options->sharing, work.thread_count, &plans, diag);
    if (!status)
        status = make_stacks(&work, &plans, diag);
    if (!status)
        work.stacks_at_once = any_shared(&work) ? work.stack_count : tasks_at_once(&work);
    if (!status)
        status = any_shared(&work) ? replay_shared(&work, diag) : replay_threads(&work, diag);
    report(&work, ret_report);
    if (!status)
        status = finish(&work, histograms, diag);
    for (size_t i = 0; i < work.stack_count; i++) {
        ft_replay_destroy(work.stacks[i].replay);
        ft_histograms_fini(&work.stacks[i].dense);
    }
    for (uint32_t t = 0; work.readers && t < work.thread_count; t++) {
        close_reader(&work.readers[t]);
        free(work.readers[t].strides);
        ft_execution_counts_fini(&work.readers[t].counts);
    }
    free(work.readers);
    free(work.stacks);
    ft_stack_plans_fini(&plans);
    return status;
}
