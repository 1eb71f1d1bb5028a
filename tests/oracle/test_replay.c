/*
 * Every kernel of replay against the reference distances, on sources made to be awkward, as runs
 * and access by access: each count and each sum of distances of every reference and size, and of
 * every pair of references.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "engine/reuse/stacks/batch.h"
#include "engine/reuse/stacks/replay.h"
#include "engine/reuse/stacks/rows.h"
#include "tests/support/awkward_runs.h"
#include "tests/support/create_replay.h"
#include "tests/support/reference_distances.h"
#include "tests/support/synthetic_runs.h"
#include "tests/support/tap.h"

static const uint64_t all_sizes[] = {1 << 5,  1 << 6,  1 << 7,  1 << 12, 1 << 14,
                                     1 << 15, 1 << 21, 1 << 23, 1 << 30};
static const uint64_t few_sizes[] = {1 << 6, 1 << 12};
static const uint64_t odd_sizes[] = {16, 1 << 10, 1 << 20, UINT64_C(1) << 40, UINT64_C(1) << 63};
static const struct {
    const uint64_t *bytes;
    size_t count;
} size_sets[] = {{all_sizes, 6}, {all_sizes, 9}, {few_sizes, 2}, {few_sizes, 1}, {odd_sizes, 5}};
#define SIZE_SETS (sizeof size_sets / sizeof *size_sets)

/* How the accesses come, and what is asked for. */
enum { ONE_BY_ONE = 1, PAIRS = 2 };

static void check_kernel(const char *what, size_t set, const char *kernel, unsigned region_shift,
                         unsigned how, struct synthetic_runs *runs,
                         const struct reference_distances *expected)
{
    struct ft_diag diag = {0};
    struct ft_replay *replay = NULL;
    struct ft_histograms histograms = {0};
    struct unrolled_runs unrolled;
    synthetic_rewind(runs);
    unrolled_init(&unrolled, &runs->source);
    struct ft_run_source *source = how & ONE_BY_ONE ? &unrolled.own.source : &runs->source;
    int status = create_replay(size_sets[set].bytes, size_sets[set].count, kernel, &replay, &diag);
    if (!status) {
        ft_replay_limit(replay, region_shift, UINT64_MAX);
        replay->repetition.worth_accesses = 1; /* short sources are to be skipped too */
        if (how & ONE_BY_ONE) {                /* after fewer periods */
            replay->repetition.hasty_accesses = 1;
            replay->repetition.counters_an_access = UINT64_MAX;
        }
        status = how & PAIRS ? ft_replay_want_pairs(replay, &diag) : FT_OK;
    }
    if (!status)
        status = ft_replay_run(replay, source, &diag);
    if (!status)
        status = ft_replay_finish(replay, &histograms, &diag);
    bool same = status == FT_OK && !histograms.pairs == !(how & PAIRS);
    for (size_t s = 0; same && s < size_sets[set].count; s++)
        if (!reference_distances_match(&expected[s], &histograms, s)) {
            printf("# blocks of %" PRIu64 " bytes differ\n", size_sets[set].bytes[s]);
            same = false;
        }
    tap_ok(same, "%s, size set %zu, kernel %s, regions of 2^%u, %s%s%s%s", what, set,
           kernel ? kernel : "of choice", region_shift,
           how & ONE_BY_ONE ? "access by access" : "runs", how & PAIRS ? ", pairs" : "",
           status ? ": " : "", diag.message);
    ft_histograms_fini(&histograms);
    ft_replay_destroy(replay);
    unrolled_fini(&unrolled);
}

/* Frees the source. A short run takes every second kernel, in turn the others. */
static void check(const char *what, struct synthetic_runs *runs)
{
    static unsigned turn;
    const unsigned step = tap_repetitions(1, 2, 2);
    for (size_t set = 0; set < SIZE_SETS; set++) {
        struct reference_distances expected[16];
        for (size_t s = 0; s < size_sets[set].count; s++) {
            synthetic_rewind(runs);
            reference_distances_run(&expected[s], size_sets[set].bytes[s], &runs->source);
        }
        const char *kernel;
        for (size_t k = turn++ % step; (kernel = ft_replay_kernel_at(k)) != NULL; k += step) {
            check_kernel(what, set, kernel, FT_REGION_SHIFT, 0, runs, expected);
            check_kernel(what, set, kernel, FT_REGION_SHIFT, ONE_BY_ONE, runs, expected);
            check_kernel(what, set, kernel, FT_REGION_SHIFT, PAIRS, runs, expected);
            check_kernel(what, set, kernel, FT_REGION_SHIFT, PAIRS | ONE_BY_ONE, runs, expected);
        }
        unsigned smallest = (unsigned)__builtin_ctzll(size_sets[set].bytes[0]);
        check_kernel(what, set, NULL, FT_PAGE_REGION_SHIFT, 0, runs, expected);
        check_kernel(what, set, NULL, smallest, 0, runs, expected);
        check_kernel(what, set, NULL, smallest, PAIRS, runs, expected);
        for (size_t s = 0; s < size_sets[set].count; s++)
            reference_distances_fini(&expected[s]);
    }
    synthetic_fini(runs);
}

static void repeat_accesses(struct synthetic_runs *runs)
{
    uint32_t reference = synthetic_reference(runs, 8);
    for (uint64_t i = 0; i < 400000; i++)
        synthetic_access(runs, reference, 64 * (i * 37 % 1000));
}

/* Few runs, many accesses each, after much that never comes again. No two neighbours are in the
 * same blocks. */
static void repeat_sweeps(struct synthetic_runs *runs)
{
    uint32_t reference = synthetic_reference(runs, 8);
    for (uint64_t i = 0; i < 20000; i++)
        synthetic_access(runs, reference, 1000 * i);
    for (int sweep = 0; sweep < 400; sweep++)
        for (uint64_t row = 0; row < 2; row++) {
            synthetic_run(runs, 50000);
            synthetic_entry(runs, reference, (1 << 30) + 1000000 * row, 8);
            synthetic_access(runs, reference, 1 << 20);
        }
}

/* Skipping must set in at all: most of the accesses, here, are never taken. */
static void check_skipping(void (*fill)(struct synthetic_runs *runs), bool pairs, bool is_hasty,
                           const char *what)
{
    struct synthetic_runs runs;
    synthetic_init(&runs);
    fill(&runs);
    struct ft_replay *replay = NULL;
    struct ft_diag diag = {0};
    uint64_t line = 64;
    int status = create_replay(&line, 1, NULL, &replay, &diag);
    if (!status) {
        replay->repetition.worth_accesses = 1;
        replay->repetition.hasty_accesses = is_hasty ? 1 : UINT64_MAX;
        status = pairs ? ft_replay_want_pairs(replay, &diag) : FT_OK;
    }
    if (!status)
        status = ft_replay_run(replay, &runs.source, &diag);
    tap_ok(status == FT_OK && replay->repetition.skipped > 350,
           "%s%s%s: of 400 periods %llu are skipped %s", what, pairs ? ", pairs" : "",
           is_hasty ? ", hasty" : "",
           status ? 0ULL : (unsigned long long)replay->repetition.skipped, diag.message);
    ft_replay_destroy(replay);
    synthetic_fini(&runs);
}

/* A product's rows: the load of a sum, two columns, the store of the sum. With columns that a line
 * has room for, a row after another is in the same blocks. */
static void check_rows(int64_t leading_bytes, uint64_t first, uint64_t rows, const char *what)
{
    struct synthetic_runs runs;
    struct ft_run_batch batch;
    struct ft_replay *replay = NULL;
    struct ft_diag diag = {0};
    const uint64_t sizes[] = {32, 4096};
    synthetic_init(&runs);
    uint32_t load = synthetic_reference(&runs, 8), store = synthetic_reference(&runs, 8);
    synthetic_access(&runs, load, 0x10000 + first);
    for (uint64_t j = 0; j < 8; j++) {
        synthetic_run(&runs, 300);
        synthetic_entry(&runs, load, 0x20000, 8);
        synthetic_entry(&runs, store, 0x80000 + first + 8 * j, leading_bytes);
        synthetic_run(&runs, 1);
        synthetic_entry(&runs, store, 0x10000 + first + 8 * j, 0);
        synthetic_entry(&runs, load, 0x10000 + first + 8 * (j + 1), 0);
    }
    int status = create_replay(sizes, 2, NULL, &replay, &diag);
    if (!status)
        status =
            ft_replay_begin(replay, runs.source.references, runs.source.reference_count, &diag);
    if (!status)
        status = runs.source.next(&runs.source, &batch, &diag);
    struct ft_rows found = {0};
    if (!status)
        found = ft_rows_find(replay, &batch, (struct ft_batch_position){0, 0});
    tap_ok(!status && found.count == rows && found.items == (rows ? 3 : 0),
           "%s: %" PRIu64 " rows of %zu items %s", what, found.count, found.items, diag.message);
    ft_replay_destroy(replay);
    synthetic_fini(&runs);
}

/* Blocks far apart want smaller regions, and no more than that; short memory, fewer sizes. */
static void check_wishes(void)
{
    static const uint64_t sizes[] = {64, 4096};
    static const struct {
        uint64_t stride, memory_max;
        unsigned region_shift;
        enum ft_replay_retry retry;
    } cases[] = {
        {1 << 21, UINT64_MAX, FT_REGION_SHIFT, FT_RETRY_SMALLER_REGIONS},
        {1 << 21, UINT64_MAX, FT_PAGE_REGION_SHIFT, FT_RETRY_NONE},
        {1 << 21, 1 << 22, FT_PAGE_REGION_SHIFT, FT_RETRY_FEWER_SIZES},
        {64, UINT64_MAX, FT_REGION_SHIFT, FT_RETRY_NONE},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct synthetic_runs runs;
        struct ft_replay *replay = NULL;
        struct ft_diag diag = {0};
        synthetic_init(&runs);
        uint32_t reference = synthetic_reference(&runs, 8);
        synthetic_run(&runs, 100000);
        synthetic_entry(&runs, reference, 1 << 30, (int64_t)cases[i].stride);
        int status = create_replay(sizes, 2, NULL, &replay, &diag);
        if (!status) {
            ft_replay_limit(replay, cases[i].region_shift, cases[i].memory_max);
            status = ft_replay_run(replay, &runs.source, &diag);
        }
        tap_ok((status == FT_OK) == (cases[i].retry == FT_RETRY_NONE) &&
                   ft_replay_retry(replay) == cases[i].retry,
               "100000 blocks %llu bytes apart, regions of 2^%u: wish %d %s",
               (unsigned long long)cases[i].stride, cases[i].region_shift, (int)cases[i].retry,
               diag.message);
        ft_replay_destroy(replay);
        synthetic_fini(&runs);
    }
}

static void check_refusals(void)
{
    const struct ft_block_sizes line = {1, {64}};
    struct ft_replay *none = NULL;
    struct ft_diag refusal = {0};
    tap_ok(ft_replay_create(&line, "abacus", &none, &refusal) == FT_ERROR_USAGE && !none &&
               refusal.message[0],
           "refused: %s", refusal.message);
    /* Blocks of one byte in 2,049 regions are more than 2^32 - 1. */
    struct synthetic_runs runs;
    synthetic_init(&runs);
    uint32_t reference = synthetic_reference(&runs, 1);
    synthetic_run(&runs, 2049);
    synthetic_entry(&runs, reference, 0, 1 << 21);
    struct ft_replay *replay = NULL;
    struct ft_diag diag = {0};
    uint64_t byte = 1;
    int status = create_replay(&byte, 1, NULL, &replay, &diag);
    if (!status)
        status = ft_replay_run(replay, &runs.source, &diag);
    tap_ok(status == FT_ERROR_UNSUPPORTED, "refused: %s", diag.message);
    ft_replay_destroy(replay);
    synthetic_fini(&runs);
}

int main(void)
{
    for (size_t i = 0; i < AWKWARD_SOURCES; i += tap_repetitions(1, 1, 3)) {
        struct synthetic_runs runs;
        awkward_runs_init(&runs, i);
        check(awkward_source_name(i), &runs);
    }
    for (int pairs = 0; pairs < 2; pairs++) {
        check_skipping(repeat_accesses, pairs, false, "single accesses");
        check_skipping(repeat_sweeps, pairs, false, "sweeps");
        check_skipping(repeat_accesses, pairs, true, "single accesses");
        check_skipping(repeat_sweeps, pairs, true, "sweeps");
    }
    check_rows(2400, 0, 4, "columns that begin with a line");
    check_rows(2400, 8, 3, "columns that begin behind it");
    check_rows(2400, 16, 0, "columns of which the third is in another line");
    check_rows(2408, 0, 0, "columns that cross lines at different rows");
    check_rows(2400, 4, 3, "columns that span lines at the end");
    check_wishes();
    check_refusals();
    return tap_plan_done();
}
