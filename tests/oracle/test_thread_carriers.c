/*
 * What carries a reuse in a stack that threads share, against the definition: each thread runs a
 * made-up program that tells a carriers where it is (tests/support/scope_program.h), and the
 * carriers takes what they tell in the order of the threads by its definition
 * (tests/support/reference_interleaving.h).
 */
#include <inttypes.h>
#include <stdlib.h>

#include "engine/reuse/stacks/batch.h"
#include "engine/reuse/stacks/replay.h"
#include "formats/histograms/reuse_pairs.h"
#include "tests/support/create_replay.h"
#include "tests/support/reference_interleaving.h"
#include "tests/support/scope_program.h"
#include "tests/support/tap.h"

#define THREADS_MAX 4U
#define TIME_END    (UINT64_C(1) << 30)

struct program {
    struct synthetic_runs runs[THREADS_MAX], accesses[THREADS_MAX]; /* with fetches, and without */
    struct carriers_thread told[THREADS_MAX];
    struct ft_thread_order order;
    struct reference_carriers carriers;
};

/* What a thread does, and its accesses alone. */
static void make_thread(struct program *program, uint32_t thread, uint64_t seed)
{
    struct synthetic_runs *accesses = &program->accesses[thread];
    synthetic_init(&program->runs[thread]);
    synthetic_init(accesses);
    program->runs[thread].runs_a_batch = seed % 3 ? 5 * seed : 0;
    program->carriers.later = &program->told[thread];
    if (seed % 4 == 3)
        scope_program_run_deeper(&program->runs[thread], &program->carriers, seed);
    else
        scope_program_run(&program->runs[thread], &program->carriers, seed);
    program->carriers.later = NULL;
    for (uint32_t r = 0; r < scope_program.first; r++)
        synthetic_reference(accesses, 1);
    const struct carriers_thread *told = &program->told[thread];
    for (size_t i = 0; i < told->count; i++)
        if (told->events[i].kind == CARRIERS_SEE) {
            synthetic_access(accesses, told->events[i].number, told->events[i].address);
            program->order.threads[thread].accesses++;
        }
}

/* Stamps up to the middle of the time; from there on the first thread goes on alone. */
static void add_timestamps(struct ft_thread_timestamps *thread, bool goes_on, uint64_t count,
                           uint64_t *seed)
{
    const uint64_t middle = goes_on ? thread->accesses / 2 : thread->accesses;
    struct ft_timestamp timestamp = {0, random_below(seed, 100)};
    thread->timestamps = calloc(count + 2, sizeof *thread->timestamps);
    if (!thread->timestamps)
        exit(99);
    for (uint64_t i = 0; i < count; i++) {
        thread->timestamps[thread->count++] = timestamp;
        timestamp.time += random_below(seed, 2 * (TIME_END / 2 - timestamp.time) / (count - i));
        timestamp.accesses +=
            random_below(seed, 2 * (middle - timestamp.accesses) / (count - i) + 1);
    }
    thread->timestamps[thread->count++] = (struct ft_timestamp){middle, TIME_END / 2};
    if (goes_on)
        thread->timestamps[thread->count++] = (struct ft_timestamp){thread->accesses, TIME_END};
}

/* Tells the carriers all accesses in their order. */
static void take_all(struct program *program)
{
    struct interleaved_accesses all = {0};
    struct ft_run_source *sources[THREADS_MAX];
    for (uint32_t t = 0; t < program->order.thread_count; t++)
        sources[t] = &program->accesses[t].source;
    interleaved_make(&all, sources, &program->order);
    for (size_t i = 0; i < all.count; i++)
        reference_carriers_take(&program->carriers, program->told, all.items[i].thread);
    free(all.items);
}

static void make_program(struct program *program, uint32_t threads, uint64_t seed)
{
    program->carriers.program = &scope_program;
    program->order.thread_count = threads;
    program->order.threads = calloc(threads, sizeof *program->order.threads);
    if (!program->order.threads)
        exit(99);
    for (uint32_t t = 0; t < threads; t++)
        make_thread(program, t, 5 * seed + t);
    for (uint32_t t = 0; t < threads; t++)
        add_timestamps(&program->order.threads[t], t == 0, 1 + random_below(&seed, 30), &seed);
    take_all(program);
}

static void free_program(struct program *program)
{
    for (uint32_t t = 0; t < program->order.thread_count; t++) {
        synthetic_fini(&program->runs[t]);
        synthetic_fini(&program->accesses[t]);
        free(program->told[t].events);
    }
    ft_thread_order_fini(&program->order);
    reference_carriers_fini(&program->carriers);
}

/* ---- the replay ---- */

static int take_batches(struct ft_replay *replay, struct ft_interleaving *interleaving,
                        struct ft_diag *diag)
{
    for (;;) {
        struct ft_run_batch batch;
        uint32_t thread = 0;
        int status = ft_interleaving_next(interleaving, &thread, &batch, diag);
        if (status || batch.run_count == 0)
            return status ? status : ft_replay_end(replay, diag);
        batch.thread = thread;
        status = ft_replay_take(replay, &batch, diag);
        if (status)
            return status;
    }
}

static int replay_program(struct program *program, const char *kernel,
                          struct ft_histograms *histograms, uint64_t *ret_skipped,
                          struct ft_diag *diag)
{
    struct ft_interleaving *interleaving = NULL;
    struct ft_replay *replay = NULL;
    struct ft_run_source *sources[THREADS_MAX];
    for (uint32_t t = 0; t < program->order.thread_count; t++) {
        synthetic_rewind(&program->runs[t]);
        sources[t] = &program->runs[t].source;
    }
    int status =
        ft_interleaving_create(sources, &program->order, scope_program.first, &interleaving, diag);
    if (!status)
        status =
            create_replay(reference_carriers_block_bytes, CARRIERS_SIZES, kernel, &replay, diag);
    if (!status)
        status = ft_replay_want_pairs(replay, diag);
    if (!status) {
        ft_replay_follow_scopes(replay, &scope_program);
        ft_replay_of_threads(replay, program->order.thread_count);
        replay->repetition.worth_accesses = 1; /* short periods are to be skipped, too */
        replay->repetition.wait = replay->repetition.pick_within = 64;
        replay->repetition.search_accesses = 2000;
        replay->repetition.counters_an_access = UINT64_MAX;
        status = ft_replay_begin(replay, sources[0]->references, scope_program.first, diag);
    }
    if (!status)
        status = take_batches(replay, interleaving, diag);
    if (!status) {
        *ret_skipped = replay->repetition.skipped;
        status = ft_replay_finish(replay, histograms, diag);
    }
    ft_replay_destroy(replay);
    ft_interleaving_destroy(interleaving);
    return status;
}

/* Touches of blocks that another thread had touched last. */
static uint64_t touches_between_threads(const struct ft_reuse_pairs *pairs)
{
    uint64_t touches = 0;
    for (size_t i = 0; i < pairs->count; i++)
        touches += pairs->pairs[i].scope == FT_OTHER_THREAD ? pairs->histograms[i].touches : 0;
    return touches;
}

/* Gives how many iterations each kernel skipped, at the least. */
static uint64_t check_program(uint32_t threads, uint64_t seed)
{
    struct program program = {0};
    uint64_t least_skipped = UINT64_MAX;
    const char *kernel;
    make_program(&program, threads, seed);
    for (size_t k = 0; (kernel = ft_replay_kernel_at(k)) != NULL; k++) {
        struct ft_histograms histograms = {0};
        struct ft_diag diag = {0};
        uint64_t skipped = 0;
        bool same = !replay_program(&program, kernel, &histograms, &skipped, &diag);
        uint64_t between = same ? touches_between_threads(&histograms.pairs[0]) : 0;
        for (size_t s = 0; same && s < CARRIERS_SIZES; s++)
            same &= reference_carriers_has_pairs(&program.carriers, &histograms.pairs[s], s);
        tap_ok(same && (between > 0) == (threads > 1),
               "seed %" PRIu64 ", %" PRIu32 " threads, kernel %s: %" PRIu64
               " touches between threads, %" PRIu64 " iterations are skipped %s",
               seed, threads, kernel, between, skipped, diag.message);
        least_skipped = skipped < least_skipped ? skipped : least_skipped;
        ft_histograms_fini(&histograms);
    }
    free_program(&program);
    return least_skipped;
}

int main(void)
{
    uint64_t skipped = 0;
    check_program(1, 4);
    for (uint64_t seed = 1; seed <= tap_repetitions(3, 3, 1); seed++)
        skipped += check_program(2 + (uint32_t)seed % (THREADS_MAX - 1), 4 * seed);
    tap_ok(skipped > SCOPE_PROGRAM_SAME_TURNS / 16,
           "iterations of threads that go on alone are skipped");
    return tap_plan_done();
}
