/*
 * Conservation: what replay makes of a program passes, a version 1 file too, and each kind of
 * number is caught when it is off by one, alone or together with what hides it from other checks.
 */
#include <stdlib.h>
#include <string.h>

#include "engine/reuse/stacks/replay.h"
#include "engine/reuse/stacks/spans.h"
#include "formats/histograms/conservation.h"
#include "tests/support/create_replay.h"
#include "tests/support/synthetic_runs.h"
#include "tests/support/tap.h"

/* Loops and single accesses of several widths over some pages, in a program of two loops. */
static void make_program(struct synthetic_runs *runs)
{
    static const uint32_t widths[] = {1, 8, 16, 100};
    uint64_t seed = 5;
    synthetic_init(runs);
    for (size_t i = 0; i < 4; i++)
        synthetic_reference(runs, widths[i]);
    for (int i = 0; i < 300; i++) {
        synthetic_access(runs, (uint32_t)random_below(&seed, 4),
                         0x10000 + random_below(&seed, 30000));
        synthetic_run(runs, 1 + random_below(&seed, 200));
        synthetic_entry(runs, 1, 0x20000 + 8 * random_below(&seed, 500), 8);
        synthetic_entry(runs, 2, 0x30000 + random_below(&seed, 500), 12);
    }
}

/* Program, two routines in it, and a loop in the first. */
static void make_scopes(struct ft_scopes *scopes, uint32_t reference_count)
{
    static const uint32_t parents[] = {0, 0, 0, 1};
    scopes->scopes = calloc(4, sizeof *scopes->scopes);
    scopes->references = calloc(reference_count, sizeof *scopes->references);
    if (!scopes->scopes || !scopes->references)
        exit(99);
    scopes->scope_count = 4;
    scopes->reference_count = reference_count;
    for (size_t i = 0; i < 4; i++) {
        scopes->scopes[i].parent = parents[i];
        scopes->scopes[i].kind = i == 0   ? FT_SCOPE_PROGRAM
                                 : i == 3 ? FT_SCOPE_LOOP
                                          : FT_SCOPE_ROUTINE;
        scopes->scopes[i].name = strdup("somewhere");
        scopes->scopes[i].file = strdup("");
    }
    static const uint32_t widths[] = {1, 8, 16, 100};
    for (uint32_t r = 0; r < reference_count; r++) {
        scopes->references[r].scope = 3 - r % 4;
        scopes->references[r].size_bytes = widths[r];
    }
}

static void make(struct ft_histograms *histograms)
{
    static const uint64_t sizes[] = {32, 64, 4096};
    struct synthetic_runs runs;
    struct ft_replay *replay = NULL;
    struct ft_diag diag = {0};
    make_program(&runs);
    int status = create_replay(sizes, 3, NULL, &replay, &diag);
    if (!status)
        status = ft_replay_want_pairs(replay, &diag);
    if (!status)
        status = ft_replay_run(replay, &runs.source, &diag);
    if (!status)
        status = ft_replay_finish(replay, histograms, &diag);
    make_scopes(&histograms->scopes, runs.source.reference_count);
    histograms->metadata.accesses = ft_replay_accesses(replay);
    if (!status)
        status = ft_conservation_note(histograms, &diag);
    if (!status)
        status = ft_conservation_check(histograms, &diag);
    tap_ok(status == FT_OK, "what replay makes is conserved %s", diag.message);
    ft_replay_destroy(replay);
    synthetic_fini(&runs);
}

static void caught(const struct ft_histograms *histograms, const char *part, const char *what)
{
    struct ft_diag diag = {0};
    int status = ft_conservation_check(histograms, &diag);
    tap_ok(status == FT_ERROR_DATA && strstr(diag.message, part) != NULL, "%s: %s", what,
           diag.message);
}

static void check_number(const struct ft_histograms *histograms, uint64_t *number, int64_t change,
                         const char *part, const char *what)
{
    *number += (uint64_t)change;
    caught(histograms, part, what);
    *number -= (uint64_t)change;
}

/* A touch from one reference to another: all sums over the program stay. */
static void check_moved(const struct ft_histograms *histograms)
{
    struct ft_histogram *from = &histograms->histograms[1 * 3 + 1];
    struct ft_histogram *to = &histograms->histograms[2 * 3 + 1];
    from->bins[0].count--, from->touches--;
    to->bins[0].count++, to->touches++;
    caught(histograms, "", "a touch at another reference");
    from->bins[0].count++, from->touches++;
    to->bins[0].count--, to->touches--;
}

/* Touches that move to a longer distance at the larger of two sizes, just more than are cold at the
 * smaller one: all sums stay. */
static void check_farther(const struct ft_histograms *histograms)
{
    struct ft_histogram *large = &histograms->histograms[1 * 3 + 1];
    const struct ft_histogram *small = &histograms->histograms[1 * 3];
    struct ft_bin *last = &large->bins[large->bin_count - 1];
    struct ft_bin kept = *last;
    last->bin = small->bins[small->bin_count - 1].bin + 1;
    uint64_t moved = small->cold - large->cold + 1 - last->count;
    last->count += moved;
    large->bins[0].count -= moved;
    caught(histograms, "larger distances", "a longer distance in larger blocks");
    large->bins[0].count += moved;
    *last = kept;
}

/* What is at a pair must be at its sink. */
static void check_pairs(struct ft_histograms *histograms)
{
    struct ft_reuse_pairs *pairs = &histograms->pairs[1];
    size_t i = 0;
    while (pairs->pairs[i].sink == pairs->pairs[0].sink)
        i++;
    uint32_t *sink = &pairs->pairs[i].sink;
    *sink = pairs->pairs[0].sink;
    caught(histograms, "pairs of reference", "a pair of another sink");
    *sink += 1;
    struct ft_histogram *first = &pairs->histograms[0];
    uint64_t *count = first->bin_count ? &first->bins[0].count : &first->cold;
    check_number(histograms, count, 1, "pairs of reference 0", "a touch of a pair");
    pairs->count--;
    caught(histograms, "pairs of reference", "a pair that is missing");
    pairs->count++;
}

/* Long runs by arithmetic against the same accesses one by one, around the wrap at 2^64 too. */
static void check_spans(void)
{
    static const uint64_t sizes[] = {1, 32, 4096, UINT64_C(1) << 40, UINT64_C(1) << 63};
    uint64_t seed = 9;
    unsigned wrong = 0;
    for (int i = 0; i < 2000; i++) {
        uint64_t by_arithmetic[5] = {0}, one_by_one[5] = {0};
        uint64_t address = random_next(&seed) >> random_below(&seed, 64);
        uint64_t stride = random_next(&seed) >> random_below(&seed, 64);
        uint32_t extra_bytes = (uint32_t)(random_next(&seed) >> 32 >> random_below(&seed, 32));
        uint64_t iterations = 1 + random_below(&seed, 1500);
        if (i % 3 == 0)
            stride = 0 - stride;
        ft_spans_add_run(by_arithmetic, sizes, 5, address, stride, extra_bytes, iterations);
        for (uint64_t k = 0; k < iterations; k++)
            ft_spans_add_access(one_by_one, sizes, 5, address + k * stride, extra_bytes);
        wrong += memcmp(by_arithmetic, one_by_one, sizeof one_by_one) != 0;
    }
    tap_ok(wrong == 0, "of 2000 runs %u have other touches than their accesses", wrong);
}

int main(void)
{
    check_spans();
    struct ft_histograms histograms = {0};
    make(&histograms);
    check_number(&histograms, &histograms.metadata.accesses, 1, "counted at capture",
                 "accesses at capture");
    check_number(&histograms, &histograms.reference_accesses[1], -1, "accesses in the histograms",
                 "accesses of a reference");
    check_number(&histograms, &histograms.touches[2], 1, "by the addresses", "touches of a size");
    check_number(&histograms, &histograms.distinct_blocks[0], -1, "distinct blocks", "footprint");
    check_number(&histograms, &histograms.scope_totals[0].touches, 1, "program 0",
                 "touches of the program");
    check_number(&histograms, &histograms.scope_totals[3 * 3 + 2].cold, 1, "loop 3",
                 "cold touches of a loop");
    check_number(&histograms, &histograms.scope_totals[2 * 3 + 1].accesses, 1, "routine 2",
                 "accesses of a routine");
    check_moved(&histograms);
    check_farther(&histograms);
    check_pairs(&histograms);

    /* Fewer touches than accesses, and more than they can be; also without totals. */
    struct ft_histogram *bytes = &histograms.histograms[0]; /* of the accesses of one byte */
    check_number(&histograms, &bytes->touches, 1, "accesses of 1 bytes", "too many touches");
    check_number(&histograms, &bytes->touches, -1, "accesses of 1 bytes", "too few touches");
    free(histograms.touches);
    free(histograms.scope_totals);
    histograms.touches = NULL;
    histograms.scope_totals = NULL;
    struct ft_diag diag = {0};
    tap_ok(ft_conservation_check(&histograms, &diag) == FT_OK, "without totals %s", diag.message);
    check_number(&histograms, &histograms.distinct_blocks[2], 1, "distinct blocks",
                 "footprint without totals");
    ft_histograms_fini(&histograms);
    return tap_plan_done();
}
