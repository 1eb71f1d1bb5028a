/*
 * Footprints against their definitions, access by access: sets of blocks for scopes and intervals,
 * and every window slid over all accesses. On random runs, on loops that stay in their blocks for
 * long, and on addresses all over 64 bits; for intervals of several lengths.
 */
#include <stdlib.h>
#include <string.h>

#include "engine/footprint/footprint.h"
#include "formats/base/array.h"
#include "tests/support/random_runs.h"
#include "tests/support/run_accesses.h"
#include "tests/support/tap.h"
#include "tests/support/twin_runs.h"

#define SCOPE_COUNT 6
#define BLOCK_COUNT 5

/* program - module - routine - loop - loop, and another routine */
static struct ft_scope scope_list[SCOPE_COUNT] = {{.parent = 0}, {.parent = 0}, {.parent = 1},
                                                  {.parent = 2}, {.parent = 3}, {.parent = 1}};
static struct ft_scoped_reference references[RANDOM_REFERENCES];
static const struct ft_scopes scopes = {.scopes = scope_list,
                                        .scope_count = SCOPE_COUNT,
                                        .block_count = BLOCK_COUNT,
                                        .references = references,
                                        .reference_count = RANDOM_REFERENCES};
static const uint64_t sizes[] = {8, 64, 1024, 4096, 1 << 19, UINT64_C(1) << 33};
#define SIZE_COUNT (sizeof sizes / sizeof *sizes)

struct access {
    uint64_t address;
    uint32_t reference;
};

struct accesses {
    const struct ft_run_source *source;
    struct access *items;
    size_t count, capacity;
};

static void *allocate(size_t count, size_t item_bytes)
{
    void *items = calloc(count + 1, item_bytes);
    if (!items)
        exit(99);
    return items;
}

static void note_access(void *context, uint32_t reference, uint64_t address)
{
    struct accesses *accesses = context;
    if (!FT_RESERVE(accesses->items, accesses->capacity, accesses->count + 1))
        exit(99);
    accesses->items[accesses->count++] = (struct access){address, reference};
}

/* ---- the definitions, for one block size ---- */

struct expected {
    const struct accesses *accesses;
    uint64_t block_bytes;
    uint64_t *blocks; /* distinct ones, sorted */
    size_t block_count;
    size_t *first_touch; /* [access]: where its touches begin; [count]: the end */
    size_t *touches;     /* as indices of `blocks` */
};

static int by_value(const void *left, const void *right)
{
    uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;
    return (a > b) - (a < b);
}

static uint64_t bytes_of(const struct expected *expected, size_t access)
{
    return expected->accesses->source->references[expected->accesses->items[access].reference]
        .size_bytes;
}

/* Each byte of an access is in a block; a block's neighbour ends modulo 2^64. */
static void reference_hierarchy_init(struct expected *expected, const struct accesses *accesses,
                                     uint64_t block_bytes)
{
    *expected = (struct expected){.accesses = accesses, .block_bytes = block_bytes};
    expected->first_touch = allocate(accesses->count + 1, sizeof *expected->first_touch);
    uint64_t *all = NULL;
    size_t count = 0, capacity = 0;
    for (size_t i = 0; i < accesses->count; i++) {
        expected->first_touch[i] = count;
        for (uint64_t byte = 0; byte < bytes_of(expected, i); byte++) {
            uint64_t block = (accesses->items[i].address + byte) / block_bytes;
            if (count > expected->first_touch[i] && all[count - 1] == block)
                continue;
            if (!FT_RESERVE(all, capacity, count + 1))
                exit(99);
            all[count++] = block;
        }
    }
    expected->first_touch[accesses->count] = count;
    expected->blocks = allocate(count, sizeof *expected->blocks);
    expected->touches = allocate(count, sizeof *expected->touches);
    memcpy(expected->blocks, all, count * sizeof *all);
    qsort(expected->blocks, count, sizeof *expected->blocks, by_value);
    for (size_t i = 0; i < count; i++)
        if (i == 0 || expected->blocks[i] != expected->blocks[i - 1])
            expected->blocks[expected->block_count++] = expected->blocks[i];
    for (size_t i = 0; i < count; i++) {
        uint64_t *found =
            bsearch(&all[i], expected->blocks, expected->block_count, sizeof *all, by_value);
        expected->touches[i] = (size_t)(found - expected->blocks);
    }
    free(all);
}

static void reference_hierarchy_fini(struct expected *expected)
{
    free(expected->blocks);
    free(expected->first_touch);
    free(expected->touches);
}

static bool is_inside(uint32_t scope, uint32_t outer)
{
    while (scope != outer && scope != 0)
        scope = scope_list[scope].parent;
    return scope == outer;
}

static uint64_t expected_scope(const struct expected *expected, uint32_t outer)
{
    bool *seen = allocate(expected->block_count, sizeof *seen);
    uint64_t count = 0;
    for (size_t i = 0; i < expected->accesses->count; i++)
        if (is_inside(references[expected->accesses->items[i].reference].scope, outer))
            for (size_t t = expected->first_touch[i]; t < expected->first_touch[i + 1]; t++) {
                count += !seen[expected->touches[t]];
                seen[expected->touches[t]] = true;
            }
    free(seen);
    return count;
}

static ft_wide expected_windows(const struct expected *expected, size_t window)
{
    uint64_t *inside = allocate(expected->block_count, sizeof *inside);
    uint64_t distinct = 0;
    ft_wide sum = 0;
    for (size_t i = 0; i < expected->accesses->count; i++) {
        for (size_t t = expected->first_touch[i]; t < expected->first_touch[i + 1]; t++)
            distinct += inside[expected->touches[t]]++ == 0;
        for (size_t t = i < window ? 0 : expected->first_touch[i - window];
             i >= window && t < expected->first_touch[i - window + 1]; t++)
            distinct -= --inside[expected->touches[t]] == 0;
        sum += i + 1 >= window ? distinct : 0;
    }
    free(inside);
    return sum;
}

/* Whether intervals have as many distinct and new blocks as by the definition. */
static bool same_intervals(const struct expected *expected, const struct ft_footprint *footprint,
                           size_t size, uint64_t interval_accesses)
{
    size_t *last =
        allocate(expected->block_count, sizeof *last); /* number of an interval, from 1 */
    bool same = true;
    for (size_t interval = 0; interval < footprint->interval_count; interval++) {
        uint64_t distinct = 0, fresh = 0;
        size_t from = interval * interval_accesses;
        size_t to = from + footprint->intervals[interval].accesses;
        for (size_t t = expected->first_touch[from]; t < expected->first_touch[to]; t++) {
            size_t *seen = &last[expected->touches[t]];
            distinct += *seen != interval + 1;
            fresh += *seen == 0;
            *seen = interval + 1;
        }
        same = same && distinct == footprint->interval_blocks[interval * SIZE_COUNT + size] &&
               fresh == footprint->interval_new[interval * SIZE_COUNT + size];
    }
    free(last);
    return same;
}

/* ---- phases, with dense signatures ---- */

struct signature {
    uint64_t accesses, counts[BLOCK_COUNT];
};

static struct signature signature_of(const struct accesses *accesses, size_t from, size_t count)
{
    struct signature signature = {.accesses = count};
    for (size_t i = from; i < from + count; i++)
        signature.counts[references[accesses->items[i].reference].block]++;
    return signature;
}

/* The accesses of `a` that other blocks make in `b`, times those of `b`. */
static uint64_t elsewhere(const struct signature *a, const struct signature *b)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < BLOCK_COUNT; i++) {
        uint64_t here = a->counts[i] * b->accesses, there = b->counts[i] * a->accesses;
        sum += here > there ? here - there : 0;
    }
    return sum;
}

/* All leaders are of whole intervals but that of the last one, which nothing follows. */
static bool same_phases(const struct accesses *accesses, const struct ft_footprint *footprint,
                        uint64_t interval_accesses)
{
    struct signature *leaders = allocate(footprint->interval_count, sizeof *leaders);
    size_t count = 0;
    bool same = true;
    for (size_t interval = 0; interval < footprint->interval_count; interval++) {
        size_t nearest = count;
        uint64_t least = UINT64_MAX;
        struct signature signature = signature_of(accesses, interval * interval_accesses,
                                                  footprint->intervals[interval].accesses);
        for (size_t p = 0; p < count; p++) {
            uint64_t distance = elsewhere(&signature, &leaders[p]);
            if (4 * distance <= signature.accesses * leaders[p].accesses && distance < least) {
                least = distance;
                nearest = p;
            }
        }
        if (nearest == count)
            leaders[count++] = signature;
        same = same && footprint->intervals[interval].phase == nearest;
    }
    free(leaders);
    return same && footprint->phases.count == count;
}

/* ---- checks ---- */

static int measure(struct ft_run_source *source, uint64_t interval_accesses,
                   struct ft_footprint *ret_footprint, struct ft_diag *diag)
{
    struct ft_footprinter *footprinter;
    struct ft_run_batch batch = {.run_count = 1};
    int status =
        ft_footprint_create(sizes, SIZE_COUNT, interval_accesses, &scopes, &footprinter, diag);
    if (status)
        return status;
    while (!status && batch.run_count) {
        status = source->next(source, &batch, diag);
        if (!status)
            status = ft_footprint_take(footprinter, source, &batch, diag);
    }
    if (!status)
        status = ft_footprint_finish(footprinter, ret_footprint, diag);
    ft_footprint_destroy(footprinter);
    return status;
}

static void check_size(const struct accesses *accesses, const struct ft_footprint *footprint,
                       size_t size, uint64_t interval_accesses, const char *what)
{
    struct expected expected;
    reference_hierarchy_init(&expected, accesses, sizes[size]);
    unsigned long long bytes = sizes[size];
    tap_ok(footprint->distinct_blocks[size] == expected.block_count,
           "%s, %llu bytes: %zu distinct blocks", what, bytes, expected.block_count);
    bool same = true;
    for (uint32_t scope = 0; scope < SCOPE_COUNT; scope++)
        same = same && footprint->scope_blocks[scope * SIZE_COUNT + size] ==
                           expected_scope(&expected, scope);
    tap_ok(same, "%s, %llu bytes: those of scopes", what, bytes);
    tap_ok(same_intervals(&expected, footprint, size, interval_accesses),
           "%s, %llu bytes: those of intervals", what, bytes);
    same = true;
    for (unsigned k = 0; UINT64_C(1) << k <= accesses->count; k++)
        same =
            same && ft_gaps_window_sum(&footprint->gaps[size], expected.block_count,
                                       accesses->count, k) == expected_windows(&expected, 1U << k);
    tap_ok(same, "%s, %llu bytes: those of windows", what, bytes);
    reference_hierarchy_fini(&expected);
}

/* Frees the twins. */
static void check(struct twin_runs twins, uint64_t interval_accesses, const char *name)
{
    struct ft_footprint footprint = {0};
    struct accesses accesses = {.source = twins.again};
    struct ft_diag diag = {0};
    char what[80];
    snprintf(what, sizeof what, "%s in intervals of %llu", name,
             (unsigned long long)interval_accesses);
    visit_accesses(twins.again, note_access, &accesses);
    if (!tap_ok(measure(twins.source, interval_accesses, &footprint, &diag) == FT_OK, "%s %s", what,
                diag.message))
        return;
    uint64_t left = accesses.count;
    bool same = true;
    for (size_t i = 0; i < footprint.interval_count; i++) {
        uint64_t length = left < interval_accesses ? left : interval_accesses;
        same = same && footprint.intervals[i].accesses == length;
        left -= length;
    }
    tap_ok(same && left == 0 && footprint.accesses == accesses.count, "%s: %zu accesses", what,
           accesses.count);
    tap_ok(same_phases(&accesses, &footprint, interval_accesses), "%s: %zu phases", what,
           footprint.phases.count);
    for (size_t size = 0; size < SIZE_COUNT; size++)
        check_size(&accesses, &footprint, size, interval_accesses, what);
    ft_footprint_fini(&footprint);
    free(accesses.items);
    twin_fini(&twins);
}

/* Stages of one loop each, which walks up and down, crosses seldom and spans blocks. */
static void fill_loops(struct synthetic_runs *runs)
{
    static const int64_t strides[] = {1, -2, 0, 8, -24, 4104};
    synthetic_init(runs);
    for (int j = 0; j < 12; j++)
        synthetic_reference(runs, j % 5 == 4 ? 100 : 8);
    for (uint64_t r = 0; r < 40; r++) {
        synthetic_run(runs, 1 + r * 37 % 500);
        for (uint32_t j = 0; j < 6; j++)
            synthetic_entry(runs, (j + 6 * (uint32_t)(r / 20)) % 12,
                            0x40000 + 0x10000 * (j % 4) + 24 * (r % 7), strides[(j + r) % 6]);
    }
}

/* Far apart, and around 0. */
static void fill_far(struct synthetic_runs *runs)
{
    uint64_t seed = 3;
    synthetic_init(runs);
    for (int j = 0; j < 12; j++)
        synthetic_reference(runs, 1U << j % 8);
    for (int r = 0; r < 300; r++) {
        uint64_t address = random_next(&seed) << random_below(&seed, 64);
        synthetic_run(runs, 1 + random_below(&seed, 20));
        synthetic_entry(runs, (uint32_t)random_below(&seed, 12), address, 1 << 20);
        synthetic_entry(runs, (uint32_t)random_below(&seed, 12), -(uint64_t)40 - 16, 8);
    }
}

int main(void)
{
    for (uint32_t r = 0; r < RANDOM_REFERENCES; r++) {
        references[r].scope = 2 + r % 4;
        references[r].block = r % BLOCK_COUNT;
    }
    check(twin_random(1), 1000, "random runs");
    check(twin_random(2), 1, "random runs");
    check(twin_random(3), 1 << 30, "random runs");
    check(twin_filled(fill_loops), 7, "loops");
    check(twin_filled(fill_loops), 5000, "loops");
    check(twin_filled(fill_far), 100, "far addresses");
    return tap_plan_done();
}
