/*
 * check_shared_stacks GROUPS TRACE: each LRU stack of a trace, shared by GROUPS (as --share) and
 * private, of accesses, of fetches and of both, against distances by their definition in the order
 * of threads by its definition; and between which references, of one thread or two, the shared ones
 * see blocks reused. And the same again where the replay is stopped many times. TAP.
 */
#include <stdlib.h>
#include <string.h>

#include "engine/reuse/trace_replay.h"
#include "formats/base/array.h"
#include "tests/support/reference_distances.h"
#include "tests/support/reference_interleaving.h"
#include "tests/support/synthetic_runs.h"
#include "tests/support/tap.h"

static const uint64_t block_bytes[] = {64, 4096};
#define SIZES (sizeof block_bytes / sizeof *block_bytes)
static const struct ft_block_sizes block_sizes = {2, {64, 4096}};

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

/* ---- the reference ---- */

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

/* What the stack takes of it, its references numbered as in the stack, in each thread's place again
 * where that is wanted; false where it lacks one. */
static bool make_stream(const struct ft_histograms *histograms,
                        const struct ft_histogram_stack *stack, uint32_t threads,
                        const struct interleaved_accesses *all, struct synthetic_runs *stream)
{
    uint32_t *number = allocate(histograms->reference_count, sizeof *number);
    bool whole = true;
    synthetic_init(stream);
    for (uint32_t t = 0; t < threads; t++)
        for (size_t i = 0; i < stack->reference_count; i++) {
            const uint32_t r = stack->references[i];
            synthetic_reference(stream, histograms->scopes.references[r].size_bytes);
            number[r] = (uint32_t)i + 1;
        }
    for (size_t i = 0; whole && i < all->count; i++) {
        const struct interleaved_access *access = &all->items[i];
        if (!ft_histogram_stack_has(stack, access->thread))
            continue;
        const size_t place = (access->thread % threads) * stack->reference_count;
        whole = number[access->reference] > 0;
        if (whole)
            synthetic_access(stream, (uint32_t)place + number[access->reference] - 1,
                             access->address);
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
    bool same = make_stream(histograms, stack, 1, all, &stream);
    const struct ft_histograms found = {
        .size_count = SIZES,
        .reference_count = stack->reference_count,
        .distinct_blocks = stack->distinct_blocks,
        .touches = stack->touches,
        .reference_accesses = stack->reference_accesses,
        .histograms = stack->histograms,
    };
    for (size_t s = 0; same && s < SIZES; s++) {
        struct reference_distances expected;
        synthetic_rewind(&stream);
        reference_distances_run(&expected, block_bytes[s], &stream.source);
        same = reference_distances_match(&expected, &found, s);
        reference_distances_fini(&expected);
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

/* ---- pairs ---- */

/* Touches of a reference in blocks that another one had touched last. */
struct expected {
    uint32_t sink, source; /* of the trace */
    bool other_thread;
    struct reference_distance_counts tally; /* less what was found */
};

struct expectation {
    struct expected *items;
    size_t count, capacity;
};

static struct reference_distance_counts *expect(struct expectation *expectation, uint32_t sink,
                                                uint32_t source, bool other_thread)
{
    size_t i = 0;
    while (i < expectation->count &&
           (expectation->items[i].sink != sink || expectation->items[i].source != source ||
            expectation->items[i].other_thread != other_thread))
        i++;
    if (i == expectation->count) {
        if (!FT_RESERVE(expectation->items, expectation->capacity, i + 1))
            abort();
        expectation->items[expectation->count++] =
            (struct expected){.sink = sink, .source = source, .other_thread = other_thread};
    }
    return &expectation->items[i].tally;
}

/* Of references that stand once for each thread. */
static void expect_distances(const struct reference_distances *expected,
                             const struct ft_histogram_stack *stack,
                             struct expectation *expectation)
{
    const uint32_t count = (uint32_t)stack->reference_count;
    for (size_t i = 0; i < expected->pair_count; i++) {
        const struct reference_distance_pair *pair = &expected->pairs[i];
        const bool is_cold = pair->source == FT_NO_SOURCE;
        struct reference_distance_counts *sum =
            expect(expectation, stack->references[pair->sink % count],
                   is_cold ? FT_NO_SOURCE : stack->references[pair->source % count],
                   !is_cold && pair->source / count != pair->sink / count);
        sum->cold += pair->tally.cold;
        for (uint32_t bin = 0; bin < FT_BIN_COUNT; bin++) {
            sum->counts[bin] += pair->tally.counts[bin];
            sum->sums[bin] += pair->tally.sums[bin];
        }
    }
}

/* Takes off what was found; whether nothing is left. */
static bool is_met(struct expectation *expectation, const struct ft_reuse_pairs *found)
{
    for (size_t i = 0; i < found->count; i++) {
        const struct ft_reuse_pair *pair = &found->pairs[i];
        const struct ft_histogram *histogram = &found->histograms[i];
        struct reference_distance_counts *left =
            expect(expectation, pair->sink, pair->source, pair->scope == FT_OTHER_THREAD);
        left->cold -= histogram->cold;
        for (size_t k = 0; k < histogram->bin_count; k++) {
            left->counts[histogram->bins[k].bin] -= histogram->bins[k].count;
            left->sums[histogram->bins[k].bin] -= histogram->bins[k].distance_sum;
        }
    }
    const struct reference_distance_counts nothing = {0};
    bool met = true;
    for (size_t i = 0; i < expectation->count; i++)
        met &= memcmp(&expectation->items[i].tally, &nothing, sizeof nothing) == 0;
    return met;
}

static void check_pairs(struct ft_trace *trace, const struct ft_histograms *histograms)
{
    struct interleaved_accesses all = order_all(trace, FT_RUN_ACCESSES);
    for (size_t s = 0; s < SIZES; s++) {
        struct expectation expectation = {0};
        bool whole = true;
        size_t between = 0;
        for (size_t k = 0; k < histograms->stack_count; k++) {
            struct synthetic_runs stream;
            struct reference_distances expected;
            if (!histograms->stacks[k].in_sum)
                continue;
            whole &= make_stream(histograms, &histograms->stacks[k], ft_trace_thread_count(trace),
                                 &all, &stream);
            reference_distances_run(&expected, block_bytes[s], &stream.source);
            expect_distances(&expected, &histograms->stacks[k], &expectation);
            reference_distances_fini(&expected);
            synthetic_fini(&stream);
        }
        for (size_t i = 0; i < expectation.count; i++)
            between += expectation.items[i].other_thread;
        tap_ok(whole && is_met(&expectation, &histograms->pairs[s]) && between > 0,
               "pairs at blocks of %d bytes, %zu between threads: as defined", (int)block_bytes[s],
               between);
        free(expectation.items);
    }
    free(all.items);
}

/* ---- interruption ---- */

struct interruptions {
    atomic_bool stop;
    uint64_t seed;
    unsigned count;
};

/* At most of the batches that are read. */
static void stop_sometimes(void *context, uint64_t accesses, bool is_kept)
{
    struct interruptions *interruptions = context;
    (void)accesses;
    if (!is_kept && random_below(&interruptions->seed, 4) > 0)
        atomic_store(&interruptions->stop, true);
}

/* As through a file. */
static void write_and_read(struct ft_checkpoint_pieces *kept)
{
    struct ft_sealed_output *output = NULL;
    struct ft_sealed_input *input = NULL;
    struct ft_diag diag = {0};
    char *bytes = NULL;
    size_t size = 0;
    check(ft_sealed_output_create_memory("state", 1, &bytes, &size, &output, &diag), &diag);
    ft_checkpoint_pieces_write(kept, output);
    check(ft_sealed_output_finish(output, &diag), &diag);
    ft_sealed_output_destroy(output);
    ft_checkpoint_pieces_fini(kept);
    check(ft_sealed_input_open_memory(bytes, size, "state", "state", 1, &input, &diag), &diag);
    check(ft_checkpoint_pieces_read(kept, &block_sizes, input, &diag), &diag);
    ft_sealed_input_close(input);
    free(bytes);
}

static bool same_arrays(const struct ft_histogram *a, const struct ft_histogram *b, size_t count)
{
    bool same = true;
    for (size_t i = 0; same && i < count; i++)
        same = ft_histogram_is_same(&a[i], &b[i]);
    return same;
}

static bool same_results(const struct ft_histograms *a, const struct ft_histograms *b)
{
    bool same = a->reference_count == b->reference_count && a->stack_count == b->stack_count &&
                a->scopes.block_count == b->scopes.block_count &&
                a->scopes.edge_count == b->scopes.edge_count &&
                memcmp(a->reference_strides, b->reference_strides, a->reference_count * 8) == 0 &&
                memcmp(a->reference_accesses, b->reference_accesses, a->reference_count * 8) == 0 &&
                same_arrays(a->histograms, b->histograms, SIZES * a->reference_count);
    for (size_t i = 0; same && i < a->scopes.block_count; i++)
        same = a->scopes.blocks[i].execution_count == b->scopes.blocks[i].execution_count;
    for (size_t i = 0; same && i < a->scopes.edge_count; i++)
        same = a->scopes.edges[i].count == b->scopes.edges[i].count;
    for (size_t k = 0; same && k < a->stack_count; k++)
        same = a->stacks[k].reference_count == b->stacks[k].reference_count &&
               memcmp(a->stacks[k].touches, b->stacks[k].touches, SIZES * 8) == 0 &&
               memcmp(a->stacks[k].distinct_blocks, b->stacks[k].distinct_blocks, SIZES * 8) == 0 &&
               same_arrays(a->stacks[k].histograms, b->stacks[k].histograms,
                           SIZES * a->stacks[k].reference_count);
    return same;
}

static struct ft_replay_pass pass_of(const struct ft_trace_replay_options *options,
                                     const struct ft_replay_subject *subject)
{
    return (struct ft_replay_pass){.options = options,
                                   .subject = subject,
                                   .sizes = options->sizes,
                                   .region_shift = FT_REGION_SHIFT,
                                   .segments_at_once = options->segments_at_once};
}

static void check_interrupted(struct ft_trace *trace, const struct ft_trace_replay_options *all,
                              const struct ft_histograms *wanted)
{
    struct interruptions interruptions = {.seed = 7};
    struct ft_checkpoint_pieces kept = {0};
    struct ft_trace_replay_options options = *all;
    const struct ft_replay_subject subject = {
        .trace = trace, .pieces = &kept, .stop = &interruptions.stop};
    struct ft_replay_pass pass = pass_of(&options, &subject);
    struct ft_trace_replay_report report = {.is_stopped = true};
    struct ft_histograms histograms = {0};
    struct ft_diag diag = {0};
    options.pairs = false;
    pass.listener = (struct ft_listener){stop_sometimes, &interruptions, false};
    while (report.is_stopped) {
        ft_histograms_fini(&histograms);
        histograms = (struct ft_histograms){0};
        atomic_store(&interruptions.stop, false);
        int status = ft_trace_replay(&pass, &histograms, &report, &diag);
        interruptions.count += report.is_stopped;
        if (!report.is_stopped)
            check(status, &diag);
        write_and_read(&kept);
    }
    tap_ok(same_results(&histograms, wanted) && interruptions.count > 4,
           "the same after %u interruptions", interruptions.count);
    ft_histograms_fini(&histograms);
    ft_checkpoint_pieces_fini(&kept);
}

static void replay(struct ft_trace *trace, const char *groups, bool private_stacks,
                   struct ft_histograms *ret_histograms)
{
    struct ft_trace_replay_report report;
    struct ft_diag diag = {0};
    struct ft_trace_replay_options options = {
        .sizes = block_sizes,
        .memory_max = UINT64_MAX,
        .segments_at_once = 1,
        .pairs = true,
    };
    check(ft_sharing_init(&options.sharing, groups, private_stacks, NULL, &diag), &diag);
    options.sharing.fetches = true;
    const struct ft_replay_subject subject = {.trace = trace};
    const struct ft_replay_pass pass = pass_of(&options, &subject);
    check(ft_trace_replay(&pass, ret_histograms, &report, &diag), &diag);
    if (private_stacks) /* which has all kinds of stacks */
        check_interrupted(trace, &options, ret_histograms);
    ft_sharing_fini(&options.sharing);
}

int main(int argc, char **argv)
{
    struct ft_trace *trace;
    struct ft_diag diag = {0};
    if (argc != 3)
        return 2;
    check(ft_trace_open(argv[2], NULL, &trace, &diag), &diag);
    for (int private_stacks = 0; private_stacks < 2; private_stacks++) {
        struct ft_histograms histograms = {0};
        replay(trace, argv[1], private_stacks, &histograms);
        check_stacks(trace, &histograms);
        if (!private_stacks)
            check_pairs(trace, &histograms);
        ft_histograms_fini(&histograms);
    }
    ft_trace_close(trace);
    return tap_plan_done();
}
