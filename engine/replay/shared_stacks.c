/*
 * A private stack takes the batches of its thread's reader as they are; a shared one takes them cut
 * into slices. All stacks are in memory until the end.
 */
#include "engine/replay/shared_stacks.h"

#include <stdlib.h>

#include "engine/replay/interleaving.h"
#include "formats/trace/trace_reader.h"

static int open_reader(struct ft_trace_work *work, uint32_t thread, struct ft_diag *diag)
{
    const struct ft_log_place start = {0}, end = {ft_trace_log_count(work->trace, thread), 0};
    return ft_thread_reader_open(&work->readers[thread], work->trace, thread, FT_RUN_ACCESSES,
                                 start, end, work->options->listener, diag);
}

/* ---- stacks ---- */

static int begin_stack(struct ft_trace_work *work, struct ft_trace_stack *stack,
                       const struct ft_reference *references, uint32_t count, struct ft_diag *diag)
{
    const struct ft_trace_replay_options *options = work->options;
    int status = ft_replay_create(options->block_bytes, options->size_count, options->kernel,
                                  &stack->replay, diag);
    if (status)
        return status;
    ft_replay_limit(stack->replay, options->region_shift,
                    options->memory_most / work->stacks_at_once);
    if (options->pairs && stack->plan->in_sum)
        status = ft_replay_want_pairs(stack->replay, diag);
    return status ? status : ft_replay_begin(stack->replay, references, count, diag);
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

/* ---- who feeds which ---- */

/* [thread]: the shared stacks that it feeds, as numbers, ended by SIZE_MAX. */
static size_t **list_fed(const struct ft_trace_work *work)
{
    size_t **fed = calloc(work->thread_count + (size_t)1, sizeof *fed);
    for (uint32_t t = 0; fed && t < work->thread_count; t++) {
        size_t count = 0;
        fed[t] = malloc((work->plans.count + 1) * sizeof **fed);
        if (!fed[t])
            return fed;
        for (size_t i = 0; i < work->plans.count; i++) {
            const struct ft_stack_plan *plan = &work->plans.plans[i];
            for (uint32_t k = 0; ft_stack_plan_is_shared(plan) && k < plan->thread_count; k++)
                if (plan->threads[k] == t)
                    fed[t][count++] = i;
        }
        fed[t][count] = SIZE_MAX;
    }
    return fed;
}

static void free_fed(const struct ft_trace_work *work, size_t **fed)
{
    for (uint32_t t = 0; fed && t < work->thread_count; t++)
        free(fed[t]);
    free(fed);
}

static int feed_stacks(struct ft_trace_work *work, struct ft_interleaving *interleaving,
                       size_t *const *fed, struct ft_diag *diag)
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

static int replay_interleaved(struct ft_trace_work *work, const struct ft_thread_order *order,
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
    for (size_t i = 0; !status && i < work->plans.count; i++) {
        struct ft_trace_stack *stack = &work->stacks[i];
        status = begin_stack(work, stack, work->readers[0].base.references,
                             work->readers[0].base.reference_count, diag);
        if (!ft_stack_plan_is_shared(stack->plan))
            work->readers[stack->plan->threads[0]].replay = stack->replay;
    }
    if (!status)
        status = ft_interleaving_create(sources, order, &interleaving, diag);
    if (!status)
        status = feed_stacks(work, interleaving, fed, diag);
    for (size_t i = 0; !status && i < work->plans.count; i++)
        status = end_stack(&work->stacks[i], diag);
    for (size_t i = 0; i < work->plans.count; i++)
        close_stack(&work->stacks[i]);
    ft_interleaving_destroy(interleaving);
    free_fed(work, fed);
    free(sources);
    return status;
}

int ft_shared_stacks_replay(struct ft_trace_work *work, struct ft_diag *diag)
{
    struct ft_thread_order order;
    int status = ft_thread_order_read(work->trace, FT_RUN_ACCESSES, &order, diag);
    if (status)
        return status;
    status = replay_interleaved(work, &order, diag);
    ft_thread_order_fini(&order);
    return status;
}
