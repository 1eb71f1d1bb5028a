/*
 * A private stack takes the batches of its thread's reader as they are; a shared one takes them cut
 * into slices. Stacks of accesses, of fetches and of both need separate readings, whose threads
 * advance by what is read. All stacks of a reading are in memory until its end.
 *
 * If stacks record pairs, fetches are read with the accesses to follow the scopes of the program.
 * They take no time, and are skipped by stacks that do not record pairs.
 *
 * A stop ends a reading after the last batch; it resumes from what was kept (shared_reading.h).
 *
 * If data is requested, references become pairs of a reference and an object before they reach the
 * stacks, private ones included.
 */
#include "engine/reuse/threads/shared_stacks.h"

#include <stdlib.h>

#include "engine/reuse/stacks/data_stacks.h"
#include "engine/reuse/threads/shared_reading.h"
#include "formats/trace/trace_reader.h"

/* Whether the logs are read with fetches that only follow the scopes. */
static bool has_steps(const struct ft_shared_reading *reading)
{
    return reading->work->follows_scopes && reading->content == FT_RUN_ACCESSES;
}

/* Whether stacks take pairs of a reference and an object. */
static bool by_data(const struct ft_shared_reading *reading)
{
    return reading->work->data && reading->content == FT_RUN_ACCESSES;
}

/* Executions, strides and progress are those of the accesses. */
static int open_reader(const struct ft_shared_reading *reading, uint32_t thread,
                       struct ft_diag *diag)
{
    const struct ft_trace_work *work = reading->work;
    const struct ft_log_place start = ft_shared_reading_position(reading, thread);
    const struct ft_log_place end = {ft_trace_log_count(work->trace, thread), 0};
    const unsigned steps = has_steps(reading) ? FT_RUN_FETCHES : 0;
    struct ft_listener listener = work->pass->listener;
    listener.is_beside = reading->content != FT_RUN_ACCESSES;
    struct ft_thread_reader *reader = &reading->readers[thread];
    int status = ft_thread_reader_open(reader, work->trace, thread, reading->content | steps, start,
                                       end, listener, diag);
    if (!status && has_steps(reading))
        ft_trace_runs_skip(reader->inner, work->steps.first, work->steps.passed);
    return status;
}

/* ---- stacks ---- */

static int begin_stack(const struct ft_shared_reading *reading, struct ft_trace_stack *stack,
                       struct ft_diag *diag)
{
    const struct ft_trace_work *work = reading->work;
    const struct ft_replay_pass *pass = work->pass;
    const struct ft_run_source *source = ft_trace_work_references(work);
    int status = ft_replay_create(&pass->sizes, pass->options->kernel, &stack->replay, diag);
    if (status)
        return status;
    ft_replay_limit(stack->replay, pass->region_shift, UINT64_MAX);
    ft_replay_share_budget(stack->replay, &reading->work->budget);
    if (pass->options->pairs && stack->layout->in_sum) {
        status = ft_replay_want_pairs(stack->replay, diag);
        ft_replay_follow_scopes(stack->replay, &work->steps);
        ft_replay_of_threads(stack->replay, stack->layout->thread_count);
    } else if (has_steps(reading)) {
        ft_replay_skip_from(stack->replay, work->steps.first);
    }
    if (status)
        return status;
    if (!by_data(reading))
        return ft_replay_begin(stack->replay, source->references,
                               ft_trace_work_reference_count(work), diag);
    size_t pair_count;
    ft_data_runs_pairs(work->data, &pair_count);
    return ft_replay_begin(stack->replay, ft_data_runs_pair_references(work->data),
                           (uint32_t)pair_count, diag);
}

/* The replay is given up with all its memory. */
static void close_stack(struct ft_trace_stack *stack)
{
    if (!stack->replay)
        return;
    stack->retry = ft_replay_retry(stack->replay);
    ft_replay_destroy(stack->replay);
    stack->replay = NULL;
}

/* The histograms of pairs become those of references, and are kept for the sum. */
static int finish_by_data(struct ft_trace_work *work, struct ft_trace_stack *stack,
                          struct ft_diag *diag)
{
    struct ft_histograms by_pair = {0};
    int status = ft_replay_finish(stack->replay, &by_pair, diag);
    if (!status)
        status = ft_data_stacks_fold(work->data, &by_pair, ft_trace_work_reference_count(work),
                                     stack->dense, diag);
    if (!status && stack->layout->in_sum)
        status = ft_data_stacks_add(&work->by_pair, &by_pair, diag);
    ft_histograms_fini(&by_pair);
    return status;
}

static int end_stack(const struct ft_shared_reading *reading, struct ft_trace_stack *stack,
                     struct ft_diag *diag)
{
    int status = ft_replay_end(stack->replay, diag);
    stack->is_stopped = reading->is_stopped;
    if (!status && !reading->is_stopped)
        status = by_data(reading) ? finish_by_data(reading->work, stack, diag)
                                  : ft_replay_finish(stack->replay, stack->dense, diag);
    if (!status)
        status = ft_shared_reading_keep_stack(reading, stack, diag);
    close_stack(stack);
    return status;
}

/* ---- a reading ---- */

/* Whether a stack takes the batches of its thread's reader as they come. */
static bool is_fed_by_reader(const struct ft_shared_reading *reading,
                             const struct ft_stack_layout *layout)
{
    return !ft_stack_layout_is_shared(layout) && !by_data(reading);
}

static struct ft_fed_stack *list_fed(const struct ft_shared_reading *reading, uint32_t thread)
{
    const struct ft_stack_layouts *layouts = &reading->work->layouts;
    size_t count = 0;
    struct ft_fed_stack *fed = malloc((layouts->count + 1) * sizeof *fed);
    if (!fed)
        return NULL;
    for (size_t i = 0; i < layouts->count; i++) {
        const struct ft_stack_layout *layout = &layouts->layouts[i];
        if (layout->content != reading->content || is_fed_by_reader(reading, layout))
            continue;
        for (uint32_t k = 0; k < layout->thread_count; k++)
            if (layout->threads[k] == thread)
                fed[count++] = (struct ft_fed_stack){i, k};
    }
    fed[count].stack = SIZE_MAX;
    return fed;
}

static int begin_threads(struct ft_shared_reading *reading, struct ft_diag *diag)
{
    const uint32_t count = reading->work->thread_count;
    reading->sources = calloc(count + (size_t)1, sizeof *reading->sources);
    reading->fed = calloc(count + (size_t)1, sizeof *reading->fed);
    int status =
        reading->sources && reading->fed ? FT_OK : ft_fail_memory(diag, "threads side by side");
    for (uint32_t t = 0; !status && t < count; t++) {
        reading->sources[t] = &reading->readers[t].base;
        reading->fed[t] = list_fed(reading, t);
        status = reading->fed[t] ? open_reader(reading, t, diag)
                                 : ft_fail_memory(diag, "threads side by side");
    }
    return status;
}

static int begin_stacks(const struct ft_shared_reading *reading, struct ft_diag *diag)
{
    const struct ft_trace_work *work = reading->work;
    int status = FT_OK;
    for (size_t i = 0; !status && i < work->layouts.count; i++) {
        struct ft_trace_stack *stack = &work->stacks[i];
        if (stack->layout->content != reading->content)
            continue;
        status = begin_stack(reading, stack, diag);
        if (!status && ft_shared_reading_goes_on(reading))
            status = ft_shared_reading_join(reading, stack, diag);
        if (is_fed_by_reader(reading, stack->layout))
            reading->readers[stack->layout->threads[0]].replay = stack->replay;
    }
    return status;
}

/* What comes next, of which thread; the log of one thread alone is not cut into slices. */
static int next_batch(const struct ft_shared_reading *reading, uint32_t *ret_thread,
                      struct ft_run_batch *ret_batch, struct ft_diag *diag)
{
    struct ft_run_source *alone = reading->sources[0];
    int status = reading->work->thread_count > 1
                     ? ft_interleaving_next(reading->interleaving, ret_thread, ret_batch, diag)
                     : alone->next(alone, ret_batch, diag);
    if (status || ret_batch->run_count == 0 || !reading->batches)
        return status;
    struct ft_run_batch batch = *ret_batch;
    batch.thread = *ret_thread;
    return ft_data_batches_take(reading->batches, &batch, ret_batch, diag);
}

/* Up to the end, or a stop; each time some way. */
static int feed_stacks(struct ft_shared_reading *reading, struct ft_diag *diag)
{
    const atomic_bool *stop = reading->work->pass->subject->stop;
    while (!reading->is_stopped) {
        uint32_t thread = 0;
        struct ft_run_batch batch;
        int status = next_batch(reading, &thread, &batch, diag);
        if (status || batch.run_count == 0)
            return status;
        for (const struct ft_fed_stack *fed = reading->fed[thread];
             !status && fed && fed->stack != SIZE_MAX; fed++) {
            batch.thread = fed->part;
            status = ft_replay_take(reading->work->stacks[fed->stack].replay, &batch, diag);
        }
        if (status)
            return status;
        reading->is_stopped = stop && atomic_load(stop);
    }
    return FT_OK;
}

static int read_interleaved(struct ft_shared_reading *reading, struct ft_diag *diag)
{
    const struct ft_trace_work *work = reading->work;
    const uint32_t timed = has_steps(reading) ? work->steps.first : UINT32_MAX;
    if (!ft_shared_reading_goes_on(reading))
        FT_TRY(ft_thread_order_read(work->trace, reading->content, &reading->order, diag));
    FT_TRY(ft_interleaving_create(reading->sources, &reading->order, timed, &reading->interleaving,
                                  diag));
    if (ft_shared_reading_goes_on(reading))
        FT_TRY(ft_shared_reading_resume(reading, diag));
    return feed_stacks(reading, diag);
}

static void fini(struct ft_shared_reading *reading)
{
    ft_interleaving_destroy(reading->interleaving);
    ft_thread_order_fini(&reading->order);
    ft_checkpoint_reading_fini(&reading->kept);
    ft_data_batches_destroy(reading->batches);
    for (uint32_t t = 0; reading->fed && t < reading->work->thread_count; t++)
        free(reading->fed[t]);
    free(reading->fed);
    free(reading->sources);
}

static int replay_content(struct ft_trace_work *work, unsigned content,
                          struct ft_thread_reader *readers, struct ft_diag *diag)
{
    struct ft_shared_reading reading = {.work = work, .content = content, .readers = readers};
    int status = ft_shared_reading_take_kept(&reading, diag);
    if (!status)
        status = begin_threads(&reading, diag);
    if (!status)
        status = begin_stacks(&reading, diag);
    if (!status && by_data(&reading))
        status = ft_data_batches_create(work->data, ft_trace_work_references(work),
                                        &reading.batches, diag);
    if (!status)
        status = read_interleaved(&reading, diag);
    if (!status)
        status = ft_shared_reading_end(&reading, diag);
    for (size_t i = 0; i < work->layouts.count; i++) {
        struct ft_trace_stack *stack = &work->stacks[i];
        if (!status && stack->layout->content == content)
            status = end_stack(&reading, stack, diag);
        close_stack(stack);
    }
    fini(&reading);
    return status || !reading.is_stopped ? status
                                         : ft_fail(diag, FT_ERROR_FAILURE, "it was stopped");
}

/* Its readers are of no more use. */
static int replay_fetches(struct ft_trace_work *work, unsigned content, struct ft_diag *diag)
{
    struct ft_thread_reader *readers = calloc(work->thread_count + (size_t)1, sizeof *readers);
    int status = readers ? replay_content(work, content, readers, diag)
                         : ft_fail_memory(diag, "threads side by side");
    for (uint32_t t = 0; readers && t < work->thread_count; t++)
        ft_thread_reader_fini(&readers[t]);
    free(readers);
    return status;
}

int ft_shared_stacks_replay(struct ft_trace_work *work, struct ft_diag *diag)
{
    FT_TRY(replay_content(work, FT_RUN_ACCESSES, work->readers, diag));
    if (!work->pass->options->sharing.fetches)
        return FT_OK;
    FT_TRY(replay_fetches(work, FT_RUN_FETCHES, diag));
    return replay_fetches(work, FT_RUN_ACCESSES | FT_RUN_FETCHES, diag);
}
