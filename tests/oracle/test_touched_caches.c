/*
 * Caches that take the weighted touches of a replay's walk against caches that take each access by
 * itself: sources that are awkward for runs, rows and repetitions, ways 1 to 17, sets that are no
 * power of two, capacities on both sides of the LRU stack's list, regions of three sizes. Short
 * periods are skipped, too, where the walk is told to.
 */
#include <stdio.h>
#include <string.h>

#include "engine/reuse/stacks/replay_state.h"
#include "engine/simulate/touched_caches.h"
#include "tests/support/awkward_runs.h"
#include "tests/support/create_replay.h"
#include "tests/support/reference_cache.h"
#include "tests/support/run_accesses.h"
#include "tests/support/tap.h"

#define REFERENCES_MAX 64

static const uint64_t block_bytes[] = {32, 64, 4096};
#define SIZE_COUNT (sizeof block_bytes / sizeof *block_bytes)

static const struct ft_cache_shape shapes[] = {
    {0, 64, 1},      {0, 60, 5},      {0, 7, 7},     {1, 128, 2},   {1, 12, 3},
    {1, 512, 8},     {1, 768, 12},    {1, 1024, 16}, {1, 204, 17},  {1, 1, 1},
    {1, 2, 2},       {1, 180, 180},   {1, 768, 768}, {1, 768, 768}, {1, 1024, 1024},
    {1, 1025, 1025}, {1, 1600, 1600}, {2, 4, 4},     {2, 24, 6},    {2, 96, 96},
};
#define SHAPE_COUNT (sizeof shapes / sizeof *shapes)

struct expected {
    struct reference_cache cache;
    const struct ft_reference *references;
    uint64_t misses[REFERENCES_MAX];
};

static void visit(void *context, uint32_t reference, uint64_t address)
{
    struct expected *expected = context;
    const uint64_t bytes = expected->cache.block_bytes;
    const uint32_t size_bytes = expected->references[reference].size_bytes;
    const uint64_t last = (address + (size_bytes ? size_bytes - 1 : 0)) / bytes;
    for (uint64_t block = address / bytes;; block = (block + 1) % (UINT64_MAX / bytes + 1)) {
        expected->misses[reference] += reference_cache_touch(&expected->cache, block);
        if (block == last)
            break;
    }
}

static void reference_run(struct expected *expected, const struct ft_cache_shape *shape,
                          size_t source)
{
    struct synthetic_runs runs;
    awkward_runs_init(&runs, source);
    memset(expected, 0, sizeof *expected);
    expected->references = runs.source.references;
    reference_cache_init(&expected->cache, block_bytes[shape->size], shape->ways,
                         shape->blocks / shape->ways);
    visit_accesses(&runs.source, visit, expected);
    reference_cache_fini(&expected->cache);
    synthetic_fini(&runs);
}

static struct expected expected[SHAPE_COUNT];

static void check(size_t source, unsigned region_shift, bool skips)
{
    struct synthetic_runs runs;
    struct ft_replay *replay;
    struct ft_touched_caches *caches;
    struct ft_diag diag = {0};
    awkward_runs_init(&runs, source);
    if (!tap_ok(create_replay(block_bytes, SIZE_COUNT, NULL, &replay, &diag) == FT_OK &&
                    ft_touched_caches_create(shapes, SHAPE_COUNT, runs.source.reference_count,
                                             &caches, &diag) == FT_OK,
                "%s: caches %s", awkward_source_name(source), diag.message))
        return;
    ft_replay_limit(replay, region_shift, UINT64_MAX);
    ft_replay_walk_for(replay, ft_touched_caches_listener(caches));
    if (skips) {
        replay->repetition.worth_accesses = replay->repetition.hasty_accesses = 1;
        replay->repetition.counters_an_access = UINT64_MAX;
        replay->repetition.wait = replay->repetition.pick_within = 64;
    }
    int status = ft_replay_run(replay, &runs.source, &diag);
    if (status == FT_OK)
        status = ft_touched_caches_end(caches, &diag);
    unsigned wrong = 0;
    for (size_t k = 0; status == FT_OK && k < SHAPE_COUNT; k++) {
        if (memcmp(ft_touched_caches_misses(caches, k), expected[k].misses,
                   runs.source.reference_count * sizeof(uint64_t)) != 0) {
            printf("# %llu blocks of %llu bytes in %llu ways differ\n",
                   (unsigned long long)shapes[k].blocks,
                   (unsigned long long)block_bytes[shapes[k].size],
                   (unsigned long long)shapes[k].ways);
            wrong++;
        }
    }
    tap_ok(status == FT_OK && wrong == 0, "%s, regions of 2^%u bytes%s: misses of %zu caches %s",
           awkward_source_name(source), region_shift, skips ? ", short periods skipped" : "",
           SHAPE_COUNT, diag.message);
    ft_replay_destroy(replay);
    ft_touched_caches_destroy(caches);
    synthetic_fini(&runs);
}

int main(void)
{
    for (size_t source = 0; source < AWKWARD_SOURCES; source++) {
        for (size_t k = 0; k < SHAPE_COUNT; k++)
            reference_run(&expected[k], &shapes[k], source);
        check(source, FT_REGION_SHIFT, false);
        check(source, FT_REGION_SHIFT, true);
        check(source, FT_PAGE_REGION_SHIFT, true);
        check(source, 5, true);
    }
    return tap_plan_done();
}
