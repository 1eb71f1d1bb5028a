/*
 * Misses by interval against a reference that takes every access on its own and counts it where it
 * falls; and against the simulation of the whole run, to which they add up.
 */
#include <stdlib.h>

#include "engine/simulate/interval_misses.h"
#include "tests/support/random_runs.h"
#include "tests/support/reference_cache.h"
#include "tests/support/run_accesses.h"
#include "tests/support/tap.h"

#define THREADS_MAX   4
#define INTERVALS_MAX 4096

struct expected {
    struct random_runs random;
    struct reference_cache caches[THREADS_MAX];
    struct reference_cache *cache; /* of the thread at hand */
    uint64_t interval_accesses, count;
    size_t interval_count;
    uint64_t accesses[INTERVALS_MAX], misses[INTERVALS_MAX];
};

static void visit(void *context, uint32_t reference, uint64_t address)
{
    struct expected *expected = context;
    const uint64_t last = address + expected->random.references[reference].size_bytes - 1;
    uint64_t interval = expected->count++ / expected->interval_accesses;
    if (interval >= expected->interval_count)
        interval = expected->interval_count - 1;
    expected->accesses[interval]++;
    const uint64_t end = last / expected->cache->block_bytes + 1;
    for (uint64_t block = address / expected->cache->block_bytes; block < end; block++)
        expected->misses[interval] += reference_cache_touch(expected->cache, block);
}

static void reference_run(struct expected *expected, const struct ft_level *level, bool full,
                          uint64_t seed, uint32_t threads)
{
    struct ft_run_source *source;
    struct ft_run_batch batch;
    struct ft_diag diag;
    for (uint32_t t = 0; t < threads; t++)
        reference_cache_init(&expected->caches[t], level->block_bytes,
                             full ? level->blocks : level->ways,
                             full ? 1 : level->blocks / level->ways);
    expected->random.seed = seed;
    expected->random.thread_count = threads;
    random_runs_open(&expected->random, &source, &diag);
    while (source->next(source, &batch, &diag) == FT_OK && batch.run_count > 0) {
        expected->cache = &expected->caches[batch.thread / level->shared_by];
        visit_batch(&batch, visit, expected);
    }
    for (uint32_t t = 0; t < threads; t++)
        reference_cache_fini(&expected->caches[t]);
}

static void check_level(const struct ft_interval_misses *misses, const struct ft_level *level,
                        size_t index, bool full, uint64_t seed, uint32_t threads,
                        uint64_t interval_accesses)
{
    struct expected *expected = calloc(1, sizeof *expected);
    const uint64_t *simulated = full ? misses->fully_associative : misses->set_associative;
    uint64_t total = 0;
    bool same = expected != NULL;
    if (!expected)
        return;
    expected->interval_accesses = interval_accesses;
    expected->interval_count = misses->interval_count;
    reference_run(expected, level, full, seed, threads);
    for (size_t k = 0; k < misses->interval_count; k++) {
        same = same && misses->accesses[k] == expected->accesses[k] &&
               simulated[k * misses->level_count + index] == expected->misses[k];
        total += expected->misses[k];
    }
    tap_ok(same && total > 0, "%s %s, %zu intervals of %llu accesses, %u threads: %llu misses",
           level->name, full ? "fully associative" : "set-associative", misses->interval_count,
           (unsigned long long)interval_accesses, threads, (unsigned long long)total);
    free(expected);
}

static void check(const char *description, uint64_t seed, uint32_t threads,
                  uint64_t interval_accesses, size_t interval_count)
{
    struct ft_machine machine;
    struct ft_interval_misses misses;
    struct random_runs random;
    struct ft_diag diag = {0};
    if (!tap_ok(ft_machine_parse(description, &machine, &diag) == FT_OK, "%s %s", description,
                diag.message))
        return;
    random.seed = seed;
    random.thread_count = threads;
    if (tap_ok(ft_simulate_intervals(&machine, threads, random_runs_open, &random,
                                     interval_accesses, interval_count, NULL, &misses,
                                     &diag) == FT_OK,
               "simulates %s", diag.message)) {
        for (size_t i = 0; i < machine.level_count; i++)
            for (int full = 0; full < 2; full++)
                check_level(&misses, &machine.levels[i], i, full, seed, threads, interval_accesses);
        ft_interval_misses_fini(&misses);
    }
    ft_machine_fini(&machine);
}

int main(void)
{
    static const char one[] = "L1:1K:32:2@3,L2:4K:64:4@11,L3:16K:64:full@30,memory@92,"
                              "TLB1:32K:4K:full@20,TLB2:64K:4K:4@30";
    static const char shared[] = "A:2K:64:2@1,B:4K:64:4:shared_by=2@2,C:6K:64:16:shared_by=3@3,"
                                 "memory@92,TLB:32K:4K:full:shared_by=2@20";
    check(one, 1, 1, 1000, 100);  /* some of which begin after the end */
    check(one, 2, 1, 7, 4096);    /* in the middle of iterations */
    check(one, 3, 1, 1, 50);      /* all the others in the last one */
    check(one, 4, 1, 1 << 30, 1); /* the whole run */
    check(shared, 5, THREADS_MAX, 501, 64);
    return tap_plan_done();
}
