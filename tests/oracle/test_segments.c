/*
 * Awkward sources cut into segments at random places, each replayed from empty stacks, and joined:
 * one by one onto the first, and in an arbitrary order of neighbours; and joined where others are
 * replayed into the same stacks. Every count and sum must be that of the reference distances of the
 * whole.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "engine/reuse/stacks/replay.h"
#include "engine/reuse/stacks/segment.h"
#include "tests/support/awkward_runs.h"
#include "tests/support/create_replay.h"
#include "tests/support/reference_distances.h"
#include "tests/support/tap.h"

static const uint64_t all_sizes[] = {1 << 5,  1 << 6,  1 << 7,  1 << 12, 1 << 14,
                                     1 << 15, 1 << 21, 1 << 23, 1 << 30};
static const uint64_t odd_sizes[] = {16, 1 << 10, 1 << 20, UINT64_C(1) << 40, UINT64_C(1) << 63};
static const struct {
    const uint64_t *bytes;
    size_t count;
    unsigned region_shift;
} size_sets[] = {
    {all_sizes, 9, FT_REGION_SHIFT},
    {all_sizes, 9, FT_PAGE_REGION_SHIFT},
    {odd_sizes, 5, 4},
};
#define SIZE_SETS    (sizeof size_sets / sizeof *size_sets)
#define SEGMENTS_MAX 40U

struct case_of {
    size_t set;
    const char *kernel;
    struct synthetic_runs *runs;
    uint64_t seed;
};

static struct ft_replay *begin(const struct case_of *the, bool is_beginning)
{
    struct ft_replay *replay = NULL;
    const struct ft_run_source *source = &the->runs->source;
    if (create_replay(size_sets[the->set].bytes, size_sets[the->set].count, the->kernel, &replay,
                      NULL))
        abort();
    ft_replay_limit(replay, size_sets[the->set].region_shift, UINT64_MAX);
    replay->repetition.worth_accesses = 1;
    if (!is_beginning) {
        replay->repetition.hasty_accesses = 1;
        replay->repetition.counters_an_access = UINT64_MAX;
        ft_replay_keep_first_touches(replay);
    }
    if (ft_replay_begin(replay, source->references, source->reference_count, NULL))
        abort();
    return replay;
}

static struct ft_segment end(struct ft_replay *replay)
{
    struct ft_segment segment;
    if (ft_replay_end(replay, NULL) || ft_segment_take(replay, &segment, NULL))
        abort();
    ft_replay_destroy(replay);
    return segment;
}

/* The whole source in up to SEGMENTS_MAX segments, some of them empty. */
static size_t cut(struct case_of *the, struct ft_segment *segments)
{
    size_t count = 1;
    uint64_t most = 1 + random_below(&the->seed, 1 + the->runs->run_count / 4);
    struct ft_replay *replay = begin(the, true);
    struct ft_run_batch batch;
    synthetic_rewind(the->runs);
    while (the->runs->source.next(&the->runs->source, &batch, NULL) == FT_OK && batch.run_count)
        for (size_t i = 0; i < batch.run_count; i++) {
            while (count < SEGMENTS_MAX && random_below(&the->seed, most) == 0) {
                segments[count++ - 1] = end(replay);
                replay = begin(the, false);
            }
            struct ft_run_batch one = batch;
            one.runs = batch.runs + i;
            one.run_count = 1;
            if (ft_replay_take(replay, &one, NULL))
                abort();
        }
    segments[count - 1] = end(replay);
    return count;
}

/* Joins two neighbours, until there is one. */
static void join_neighbours(struct case_of *the, struct ft_segment *segments, size_t count)
{
    while (count > 1) {
        size_t first = random_below(&the->seed, count - 1);
        struct ft_replay *replay = begin(the, first == 0);
        if (ft_segment_join(replay, &segments[first], NULL, NULL) ||
            ft_segment_join(replay, &segments[first + 1], NULL, NULL))
            abort();
        ft_segment_fini(&segments[first]);
        ft_segment_fini(&segments[first + 1]);
        if (ft_segment_take(replay, &segments[first], NULL))
            abort();
        ft_replay_destroy(replay);
        count--;
        for (size_t i = first + 1; i < count; i++)
            segments[i] = segments[i + 1];
    }
}

static void check(struct case_of *the, const char *what, bool in_order,
                  const struct reference_distances *expected)
{
    struct ft_segment segments[SEGMENTS_MAX];
    struct ft_histograms histograms = {0};
    size_t count = cut(the, segments), cuts = count;
    if (!in_order) {
        join_neighbours(the, segments, count);
        count = 1;
    }
    struct ft_replay *whole = begin(the, true);
    for (size_t i = 0; i < count; i++) {
        if (ft_segment_join(whole, &segments[i], NULL, NULL))
            abort();
        ft_segment_fini(&segments[i]);
    }
    bool same = ft_replay_finish(whole, &histograms, NULL) == FT_OK;
    for (size_t s = 0; same && s < size_sets[the->set].count; s++)
        if (!reference_distances_match(&expected[s], &histograms, s)) {
            printf("# blocks of %" PRIu64 " bytes differ\n", size_sets[the->set].bytes[s]);
            same = false;
        }
    tap_ok(same, "%s, size set %zu, kernel %s, %zu segments joined %s", what, the->set,
           the->kernel ? the->kernel : "of choice", cuts, in_order ? "in order" : "as neighbours");
    ft_histograms_fini(&histograms);
    ft_replay_destroy(whole);
}

/* Run by run: into the whole, or into a segment that is joined when a run goes into the whole. */
static void check_going_on(struct case_of *the, const char *what,
                           const struct reference_distances *expected)
{
    struct ft_replay *whole = begin(the, true), *apart = NULL;
    struct ft_histograms histograms = {0};
    struct ft_run_batch batch;
    unsigned joined = 0;
    synthetic_rewind(the->runs);
    while (the->runs->source.next(&the->runs->source, &batch, NULL) == FT_OK && batch.run_count)
        for (size_t i = 0; i < batch.run_count; i++) {
            struct ft_run_batch one = batch;
            one.runs = batch.runs + i;
            one.run_count = 1;
            bool is_last = the->runs->given == the->runs->run_count && i + 1 == batch.run_count;
            bool into_whole = is_last || joined >= SEGMENTS_MAX || random_below(&the->seed, 9) > 0;
            if (into_whole && apart) {
                struct ft_segment segment = end(apart);
                apart = NULL;
                joined++;
                if (ft_replay_end(whole, NULL) || ft_segment_join(whole, &segment, NULL, NULL) ||
                    ft_replay_go_on(whole, NULL))
                    abort();
                ft_segment_fini(&segment);
            }
            if (!into_whole && !apart)
                apart = begin(the, false);
            if (ft_replay_take(into_whole ? whole : apart, &one, NULL))
                abort();
        }
    bool same =
        ft_replay_end(whole, NULL) == FT_OK && ft_replay_finish(whole, &histograms, NULL) == FT_OK;
    for (size_t s = 0; same && s < size_sets[the->set].count; s++)
        same = reference_distances_match(&expected[s], &histograms, s);
    tap_ok(same, "%s, size set %zu, %u segments joined in between", what, the->set, joined);
    ft_histograms_fini(&histograms);
    ft_replay_destroy(whole);
}

static void check_source(size_t source)
{
    struct synthetic_runs runs;
    awkward_runs_init(&runs, source);
    const unsigned step = tap_repetitions(1, 2, 2); /* in turn the other kernels */
    for (size_t set = 0; set < SIZE_SETS; set++) {
        struct reference_distances expected[16];
        for (size_t s = 0; s < size_sets[set].count; s++) {
            synthetic_rewind(&runs);
            reference_distances_run(&expected[s], size_sets[set].bytes[s], &runs.source);
        }
        struct case_of the = {set, NULL, &runs, 100 + source};
        for (unsigned turn = 0; turn < tap_repetitions(4, 2, 1); turn++)
            check(&the, awkward_source_name(source), turn % 2 == 0, expected);
        check_going_on(&the, awkward_source_name(source), expected);
        for (size_t k = (source + set) % step; (the.kernel = ft_replay_kernel_at(k)) != NULL;
             k += step)
            check(&the, awkward_source_name(source), true, expected);
        for (size_t s = 0; s < size_sets[set].count; s++)
            reference_distances_fini(&expected[s]);
    }
    synthetic_fini(&runs);
}

int main(void)
{
    for (size_t source = 0; source < AWKWARD_SOURCES; source += tap_repetitions(1, 1, 3))
        check_source(source);
    return tap_plan_done();
}
