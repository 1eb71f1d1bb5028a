/*
 * A private stack takes the batches of its thread's reader as they are; a shared one takes them cut
 * into slices. Stacks of accesses, of fetches and of both are each a reading of their own, whose
 * threads advance by what is read. All stacks of a reading are in memory until its end.
 *
 * Where stacks note pairs, fetches are read with the accesses to follow the scopes of the program.
 * They take no time, and are passed over by stacks that note none.
 */
#include "engine/replay/shared_stacks.h"

#include <stdlib.h>

#include "engine/replay/interleaving.h"
#include "formats/trace/trace_reader.h"

/* A shared stack that a thread feeds. */
struct fed_stack {
    size_t stack;  /* SIZE_MAX: the end of a list */
    uint32_t part; /* number of the thread among those of the stack */
};

/* All logs, side by side, for the stacks of one content. */
struct reading {
    struct ft_trace_work *work;
    unsigned content;                 /* a sum of enum ft_run_content */
    struct ft_thread_reader *readers; /* [thread] */
    struct ft_run_source **sources;   /* likewise */
    struct fed_stack **fed;           /* [thread]: a list */
};

/* Whether the logs are read with fetches that only follow the scopes. */
static bool has_steps(const struct reading *reading)
{
    return reading->work->follows_scopes && reading->content == FT_RUN_ACCESSES;
}

/* Executions, strides and progress are those of the accesses. */
static int open_reader(const struct reading *reading, uint32_t thread, struct ft_diag *diag)
{
    const struct ft_trace_work *work = reading->work;
    const struct ft_log_place start = {0}, end = {ft_trace_log_count(work->trace, thread), 0};
    const unsigned steps = has_steps(reading) ? FT_RUN_FETCHES : 0;
    const struct ft_listener listener =
        reading->content == FT_RUN_ACCESSES ? work->options->listener : (struct ft_listener){0};
    return ft_thread_reader_open(&reading->readers[thread], work->trace, thread,
                                 reading->content | steps, start, end, listener, diag);
}

/* ---- stacks ---- */

static int begin_stack(const struct reading *reading, struct ft_trace_stack *stack,
                       struct ft_diag *diag)
{
    const struct ft_trace_work *work = reading->work;
    const struct ft_trace_replay_options *options = work->options;
    const struct ft_run_source *source = ft_trace_work_references(work);
    int status = ft_replay_create(options->block_bytes, options->size_count, options->kernel,
                                  &stack->replay, diag);
    if (status)
        return status;
    ft_replay_limit(stack->replay, options->region_shift,
                    options->memory_most / work->stacks_at_once);
    if (options->pairs && stack->plan->in_sum) {
        status = ft_replay_want_pairs(stack->replay, diag);
        ft_replay_follow_scopes(stack->replay, &work->steps);
        ft_replay_of_threads(stack->replay, stack->plan->thread_count);
    } else if (has_steps(reading)) {
        ft_replay_pass_over(stack->replay, work->steps.first);
    }
    return status ? status
                  : ft_replay_begin(stack->replay, source->references,
                                    ft_trace_work_reference_count(work), diag);
}

/* The replay is given up with all its memory. */
static void close_stack(struct ft_trace_stack *stack)
{
    if (!stack->replay)
        return;
    stack->memory_bytes = ft_replay_bytes(stack->replay);
    stack->wish = ft_replay_wish(stack->replay);
    ft_replay_destroy(stack->replay);
    stack->replay = NULL;
}

static int end_stack(struct ft_trace_stack *stack, struct ft_diag *diag)
{
    int status = ft_replay_end(stack->replay, diag);
    if (!status)
        status = ft_replay_finish(stack->replay, stack->dense, diag);
    close_stack(stack);
    return status;
}

/* ---- a reading ---- */

static struct fed_stack *list_fed(const struct reading *reading, uint32_t thread)
{
    const struct ft_stack_plans *plans = &reading->work->plans;
    size_t count = 0;
    struct fed_stack *fed = malloc((plans->count + 1) * sizeof *fed);
    if (!fed)
        return NULL;
    for (size_t i = 0; i < plans->count; i++) {
        const struct ft_stack_plan *plan = &plans->plans[i];
        if (plan->content != reading->content || !ft_stack_plan_is_shared(plan))
            continue;
        for (uint32_t k = 0; k < plan->thread_count; k++)
            if (plan->threads[k] == thread)
                fed[count++] = (struct fed_stack){i, k};
    }
    fed[count].stack = SIZE_MAX;
    return fed;
}

static int begin_threads(struct reading *reading, struct ft_diag *diag)
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

static int begin_stacks(const struct reading *reading, struct ft_diag *diag)
{
    const struct ft_trace_work *work = reading->work;
    int status = FT_OK;
    for (size_t i = 0; !status && i < work->plans.count; i++) {
        struct ft_trace_stack *stack = &work->stacks[i];
        if (stack->plan->content != reading->content)
            continue;
        status = begin_stack(reading, stack, diag);
        if (!ft_stack_plan_is_shared(stack->plan))
            reading->readers[stack->plan->threads[0]].replay = stack->replay;
    }
    return status;
}

static int feed_stacks(const struct reading *reading, struct ft_interleaving *interleaving,
                       struct ft_diag *diag)
{
    for (;;) {
        uint32_t thread = 0;
        struct ft_run_batch batch;
        int status = ft_interleaving_next(interleaving, &thread, &batch, diag);
        if (status || batch.run_count == 0)
            return status;
        for (const struct fed_stack *fed = reading->fed[thread]; !status && fed->stack != SIZE_MAX;
             fed++) {
            batch.thread = fed->part;
            status = ft_replay_take(reading->work->stacks[fed->stack].replay, &batch, diag);
        }
        if (status)
            return status;
    }
}

static int read_interleaved(const struct reading *reading, struct ft_diag *diag)
{
    struct ft_interleaving *interleaving = NULL;
    struct ft_thread_order order;
    int status = ft_thread_order_read(reading->work->trace, reading->content, &order, diag);
    if (status)
        return status;
    const uint32_t timed = has_steps(reading) ? reading->work->steps.first : UINT32_MAX;
    status = ft_interleaving_create(reading->sources, &order, timed, &interleaving, diag);
    if (!status)
        status = feed_stacks(reading, interleaving, diag);
    ft_interleaving_destroy(interleaving);
    ft_thread_order_fini(&order);
    return status;
}

static void fini_threads(struct reading *reading)
{
    for (uint32_t t = 0; reading->fed && t < reading->work->thread_count; t++)
        free(reading->fed[t]);
    free(reading->fed);
    free(reading->sources);
}

static int replay_content(struct ft_trace_work *work, unsigned content,
                          struct ft_thread_reader *readers, struct ft_diag *diag)
{
    struct reading reading = {.work = work, .content = content, .readers = readers};
    int status = begin_threads(&reading, diag);
    if (!status)
        status = begin_stacks(&reading, diag);
    if (!status)
        status = read_interleaved(&reading, diag);
    for (size_t i = 0; i < work->plans.count; i++) {
        struct ft_trace_stack *stack = &work->stacks[i];
        if (!status && stack->plan->content == content)
            status = end_stack(stack, diag);
        close_stack(stack);
    }
    fini_threads(&reading);
    return status;
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
    int status = replay_content(work, FT_RUN_ACCESSES, work->readers, diag);
    if (!status && work->options->sharing.fetches)
        status = replay_fetches(work, FT_RUN_FETCHES, diag);
    if (!status && work->options->sharing.fetches)
        status = replay_fetches(work, FT_RUN_ACCESSES | FT_RUN_FETCHES, diag);
    return status;
}
