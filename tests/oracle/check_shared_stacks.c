/*
 * check_shared_stacks GROUPS TRACE: each LRU stack of a trace, shared by GROUPS (as --share) and
 * private, of accesses, of fetches and of both, against distances by their definition in the order
 * of threads by its definition. TAP.
 */
#include <stdlib.h>
#include <string.h>

#include "engine/replay/trace_replay.h"
#include "tests/interleaved_accesses.h"
#include "tests/naive_distances.h"
#include "tests/synthetic_runs.h"
#include "tests/tap.h"

static const uint64_t block_bytes[] = {64, 4096};
#define SIZES (sizeof block_bytes / sizeof *block_bytes)

static void check(int status, const struct ft_diag *diag)
{
    if (status == FT_OK)
        return;
    fprintf(stderr, "%s\n", diag->message);
    exit(99);
}

static void *allocate(size_t count, size_t item_bytes)
{
    void *items = calloc(count + 1, item_bytes);
    if (!items)
        abort();
    return items;
}

/* ---- the witness ---- */

/* All accesses, or fetches, or both, of all threads. */
static struct interleaved_accesses order_all(struct ft_trace *trace, unsigned content)
{
    struct interleaved_accesses all = {0};
    struct ft_thread_order order;
    struct ft_diag diag = {0};
    check(ft_thread_order_read(trace, content, &order, &diag), &diag);
    struct ft_run_source **sources = allocate(order.thread_count, sizeof(struct ft_run_source *));
    for (uint32_t t = 0; t < order.thread_count; t++)
        check(ft_trace_runs_of(trace, t, content, NULL, &sources[t], &diag), &diag);
    interleaved_make(&all, sources, &order);
    for (uint32_t t = 0; t < order.thread_count; t++)
        sources[t]->destroy(sources[t]);
    free(sources);
    ft_thread_order_fini(&order);
    return all;
}

/* What the stack takes of it, its references numbered as in the stack; false where it lacks one. */
static bool make_stream(const struct ft_histograms *histograms,
                        const struct ft_histogram_stack *stack,
                        const struct interleaved_accesses *all, struct synthetic_runs *stream)
{
    uint32_t *number = allocate(histograms->reference_count, sizeof *number);
    bool whole = true;
    synthetic_init(stream);
    for (size_t i = 0; i < stack->reference_count; i++) {
        const uint32_t r = stack->references[i];
        number[r] = synthetic_reference(stream, histograms->scopes.references[r].size_bytes) + 1;
    }
    for (size_t i = 0; whole && i < all->count; i++) {
        const struct interleaved_access *access = &all->items[i];
        if (!ft_histogram_stack_has(stack, access->thread))
            continue;
        whole = number[access->reference] > 0;
        if (whole)
            synthetic_access(stream, number[access->reference] - 1, access->address);
    }
    free(number);
    return whole;
}

/* ---- against each other ---- */

static bool same_stack(const struct ft_histograms *histograms,
                       const struct ft_histogram_stack *stack,
                       const struct interleaved_accesses *all)
{
    struct synthetic_runs stream;
    bool same = make_stream(histograms, stack, all, &stream);
    const struct ft_histograms found = {
        .size_count = SIZES,
        .reference_count = stack->reference_count,
        .distinct_blocks = stack->distinct_blocks,
        .touches = stack->touches,
        .reference_accesses = stack->reference_accesses,
        .histograms = stack->histograms,
    };
    for (size_t s = 0; same && s < SIZES; s++) {
        struct naive_distances naive;
        synthetic_rewind(&stream);
        naive_distances_run(&naive, block_bytes[s], &stream.source);
        same = naive_distances_match(&naive, &found, s);
        naive_distances_fini(&naive);
    }
    synthetic_fini(&stream);
    return same;
}

static unsigned content_of(const struct ft_histogram_stack *stack)
{
    if (strstr(stack->kind, FT_STACK_UNIFIED))
        return FT_RUN_ACCESSES | FT_RUN_FETCHES;
    return strstr(stack->kind, FT_STACK_FETCHES) ? FT_RUN_FETCHES : FT_RUN_ACCESSES;
}

static void check_stacks(struct ft_trace *trace, const struct ft_histograms *histograms)
{
    for (unsigned content = 1; content <= (FT_RUN_ACCESSES | FT_RUN_FETCHES); content++) {
        struct interleaved_accesses all = order_all(trace, content);
        for (size_t k = 0; k < histograms->stack_count; k++) {
            const struct ft_histogram_stack *stack = &histograms->stacks[k];
            if (content_of(stack) == content)
                tap_ok(same_stack(histograms, stack, &all), "%s stack of threads %s: as defined",
                       stack->kind, stack->threads);
        }
        free(all.items);
    }
}

int main(int argc, char **argv)
{
    struct ft_trace *trace;
    struct ft_histograms histograms = {0};
    struct ft_trace_replay_report report;
    struct ft_diag diag = {0};
    struct ft_trace_replay_options options = {
        .block_bytes = block_bytes,
        .size_count = SIZES,
        .region_shift = FT_REGION_SHIFT,
        .memory_most = UINT64_MAX,
        .stretches_at_once = 1,
    };
    if (argc != 3)
        return 2;
    check(ft_trace_open(argv[2], NULL, &trace, &diag), &diag);
    check(ft_sharing_init(&options.sharing, argv[1], true, NULL, &diag), &diag);
    options.sharing.fetches = true;
    check(ft_trace_replay(trace, &options, &histograms, &report, &diag), &diag);
    check_stacks(trace, &histograms);
    ft_histograms_fini(&histograms);
    ft_sharing_fini(&options.sharing);
    ft_trace_close(trace);
    return tap_plan_done();
}
