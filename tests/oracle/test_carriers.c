/*
 * What carries a reuse, and how many iterations loops make, against the definition: a made-up
 * program says itself which activations and iterations it is in (tests/support/scope_program.h);
 * the replay sees nothing but its instructions. As runs and one by one, as are the traces given.
 */
#include <inttypes.h>
#include <string.h>

#include "engine/program/structure.h"
#include "engine/program/trip_counts.h"
#include "engine/reuse/stacks/batch.h"
#include "engine/reuse/stacks/replay.h"
#include "formats/histograms/reuse_pairs.h"
#include "formats/trace/trace.h"
#include "tests/support/create_replay.h"
#include "tests/support/scope_program.h"
#include "tests/support/tap.h"

/* ---- the comparison ---- */

static void check_replay(struct synthetic_runs *runs, const struct reference_carriers *carriers,
                         const char *kernel, bool one_by_one, bool skips, uint64_t seed)
{
    struct ft_diag diag = {0};
    struct ft_replay *replay = NULL;
    struct ft_histograms histograms = {0};
    struct unrolled_runs unrolled;
    synthetic_rewind(runs);
    unrolled_init(&unrolled, &runs->source);
    struct ft_run_source *source = one_by_one ? &unrolled.own.source : &runs->source;
    int status =
        create_replay(reference_carriers_block_bytes, CARRIERS_SIZES, kernel, &replay, &diag);
    if (!status)
        status = ft_replay_want_pairs(replay, &diag);
    if (!status) {
        ft_replay_follow_scopes(replay, &scope_program);
        replay->repetition.worth_accesses = 1; /* short periods are to be skipped, too */
        replay->repetition.wait = replay->repetition.pick_within = skips ? 64 : 8;
        replay->repetition.search_accesses = 2000;
        replay->repetition.counters_an_access = UINT64_MAX;
        status = ft_replay_run(replay, source, &diag);
    }
    if (!status)
        status = ft_replay_finish(replay, &histograms, &diag);
    bool same = status == FT_OK;
    for (size_t s = 0; s < CARRIERS_SIZES && status == FT_OK; s++)
        same &= reference_carriers_has_pairs(carriers, &histograms.pairs[s], s);
    tap_ok(same, "seed %" PRIu64 ", kernel %s, %s %s", seed, kernel,
           one_by_one ? "one by one" : "runs", diag.message);
    if (skips)
        tap_ok(status == FT_OK && replay->repetition.skipped > SCOPE_PROGRAM_SAME_TURNS / 4,
               "seed %" PRIu64 ": of %d equal iterations %" PRIu64 " are skipped", seed,
               SCOPE_PROGRAM_SAME_TURNS, status ? 0 : replay->repetition.skipped);
    ft_histograms_fini(&histograms);
    ft_replay_destroy(replay);
    unrolled_fini(&unrolled);
}

/* ---- how long loops are ---- */

static int count_trips(struct ft_run_source *source, struct ft_trip_counter *counter,
                       struct ft_diag *diag)
{
    struct ft_run_batch batch = {.run_count = 1};
    int status = FT_OK;
    while (!status && batch.run_count) {
        status = source->next(source, &batch, diag);
        if (!status)
            status = ft_trip_counter_take(counter, &batch, diag);
    }
    return status ? status : ft_trip_counter_end_thread(counter, diag);
}

static void check_trips(struct synthetic_runs *runs, const struct reference_carriers *carriers,
                        bool one_by_one, uint64_t seed)
{
    struct ft_diag diag = {0};
    struct ft_trip_counter *counter = NULL;
    struct unrolled_runs unrolled;
    synthetic_rewind(runs);
    unrolled_init(&unrolled, &runs->source);
    int status = ft_trip_counter_create(&scope_program, &counter, &diag);
    if (!status)
        status = count_trips(one_by_one ? &unrolled.own.source : &runs->source, counter, &diag);
    tap_ok(!status && memcmp(ft_trip_counter_loops(counter), carriers->trips,
                             scope_program.loop_count * sizeof *carriers->trips) == 0,
           "seed %" PRIu64 ", iterations of loops, %s %s", seed, one_by_one ? "one by one" : "runs",
           diag.message);
    ft_trip_counter_destroy(counter);
    unrolled_fini(&unrolled);
}

/* ---- traces ---- */

static int replay_trace(struct ft_trace *trace, const struct ft_scope_steps *of_trace,
                        bool one_by_one, struct ft_histograms *histograms, struct ft_diag *diag)
{
    struct ft_run_source *source = NULL;
    struct ft_replay *replay = NULL;
    struct unrolled_runs unrolled;
    int status = ft_trace_runs_of(trace, 0, FT_RUN_ACCESSES | FT_RUN_FETCHES, NULL, &source, diag);
    if (status)
        return status;
    if (!one_by_one)
        ft_trace_runs_skip(source, of_trace->first, of_trace->passed);
    unrolled_init(&unrolled, source);
    status = create_replay(reference_carriers_block_bytes, CARRIERS_SIZES, NULL, &replay, diag);
    if (!status)
        status = ft_replay_want_pairs(replay, diag);
    if (!status) {
        ft_replay_follow_scopes(replay, of_trace);
        status = ft_replay_run(replay, one_by_one ? &unrolled.own.source : source, diag);
    }
    if (!status)
        status = ft_replay_finish(replay, histograms, diag);
    ft_replay_destroy(replay);
    unrolled_fini(&unrolled);
    source->destroy(source);
    return status;
}

static int steps_of_trace(struct ft_trace *trace, struct ft_scope_steps *ret_steps,
                          struct ft_diag *diag)
{
    struct ft_execution_counts counts = {0};
    struct ft_run_source *source = NULL;
    struct ft_run_batch batch = {.run_count = 1};
    int status =
        ft_trace_runs_of(trace, 0, FT_RUN_ACCESSES | FT_RUN_FETCHES, &counts, &source, diag);
    while (!status && batch.run_count)
        status = source->next(source, &batch, diag);
    if (!status)
        status = ft_scope_steps_of_trace(trace, &counts, source->references,
                                         source->reference_count, ret_steps, diag);
    if (source)
        source->destroy(source);
    ft_execution_counts_fini(&counts);
    return status;
}

static bool same_runs(const struct ft_reuse_pairs *a, const struct ft_reuse_pairs *b,
                      size_t *carried)
{
    bool same = a->count == b->count;
    for (size_t i = 0; same && i < a->count; i++) {
        const struct ft_histogram *x = &a->histograms[i], *y = &b->histograms[i];
        same = ft_reuse_pair_compare(&a->pairs[i], &b->pairs[i]) == 0 && x->touches == y->touches &&
               x->cold == y->cold && x->bin_count == y->bin_count;
        for (size_t k = 0; same && k < x->bin_count; k++)
            same = x->bins[k].bin == y->bins[k].bin && x->bins[k].count == y->bins[k].count &&
                   x->bins[k].distance_sum == y->bins[k].distance_sum;
        *carried += a->pairs[i].is_carried;
    }
    return same;
}

/* A trace gives the same as runs, and one by one with all steps. */
static void check_trace(const char *path)
{
    struct ft_diag diag = {0};
    struct ft_trace *trace = NULL;
    struct ft_scope_steps of_trace = {0};
    struct ft_histograms runs = {0}, single = {0};
    size_t carried = 0, passed = 0;
    int status = ft_trace_open(path, &(struct ft_trace_options){0}, &trace, &diag);
    if (!status)
        status = steps_of_trace(trace, &of_trace, &diag);
    if (!status)
        status = replay_trace(trace, &of_trace, false, &runs, &diag);
    for (size_t i = 0; !status && i < of_trace.count; i++)
        passed += of_trace.passed[i];
    if (!status)
        status = replay_trace(trace, &of_trace, true, &single, &diag);
    bool same = status == FT_OK;
    for (size_t s = 0; same && s < CARRIERS_SIZES; s++)
        same = same_runs(&runs.pairs[s], &single.pairs[s], &carried);
    tap_ok(same && carried > 0 && passed > 0,
           "%s: %zu pairs carried by loops, %zu steps passed over %s", path, carried, passed,
           diag.message);
    ft_histograms_fini(&runs);
    ft_histograms_fini(&single);
    ft_scope_steps_fini(&of_trace);
    ft_trace_close(trace);
}

static void check_program(void (*run)(struct synthetic_runs *runs,
                                      struct reference_carriers *carriers, uint64_t seed),
                          bool skips, uint64_t seed)
{
    struct synthetic_runs runs;
    struct reference_carriers carriers = {.program = &scope_program};
    synthetic_init(&runs);
    runs.runs_a_batch = seed % 3 ? 5 * seed : 0;
    run(&runs, &carriers, seed);
    const char *kernel;
    for (size_t k = 0; (kernel = ft_replay_kernel_at(k)) != NULL; k += tap_repetitions(1, 1, 2)) {
        check_replay(&runs, &carriers, kernel, false, skips, seed);
        check_replay(&runs, &carriers, kernel, true, skips, seed);
    }
    check_trips(&runs, &carriers, false, seed);
    check_trips(&runs, &carriers, true, seed);
    reference_carriers_fini(&carriers);
    synthetic_fini(&runs);
}

int main(int argc, char **argv)
{
    for (int i = 1; i < argc; i++)
        check_trace(argv[i]);
    for (uint64_t seed = 1; seed <= tap_repetitions(12, 3, 1); seed++)
        check_program(scope_program_run, true, seed);
    for (uint64_t seed = 1; seed <= tap_repetitions(4, 1, 1); seed++)
        check_program(scope_program_run_deeper, false, seed);
    return tap_plan_done();
}
