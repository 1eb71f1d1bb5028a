/*
 * The simulator against a reference that cannot be wrong: every access on its own, every set a
 * plain list in order of recency. And against the replay, which knows nothing of caches.
 */
#include <omp.h>
#include <stdlib.h>
#include <string.h>

#include "engine/reuse/stacks/replay.h"
#include "engine/simulate/simulate.h"
#include "tests/support/create_replay.h"
#include "tests/support/random_runs.h"
#include "tests/support/reference_cache.h"
#include "tests/support/run_accesses.h"
#include "tests/support/synthetic_runs.h"
#include "tests/support/tap.h"

#define THREADS_MAX 4

/* ---- the reference ---- */

struct expected {
    struct random_runs random;
    struct reference_cache caches[THREADS_MAX];
    struct reference_cache *cache; /* of the thread at hand */
    uint64_t misses[RANDOM_REFERENCES], accesses[RANDOM_REFERENCES];
};

static void visit(void *context, uint32_t reference, uint64_t address)
{
    struct expected *expected = context;
    uint64_t last = address + expected->random.references[reference].size_bytes - 1;
    expected->accesses[reference]++;
    uint64_t block = address / expected->cache->block_bytes;
    uint64_t end = last / expected->cache->block_bytes + 1;
    for (; block < end; block++)
        expected->misses[reference] += reference_cache_touch(expected->cache, block);
}

static void reference_run(struct expected *expected, const struct ft_level *level, bool full,
                          uint64_t seed, uint32_t threads)
{
    struct ft_run_source *source;
    struct ft_run_batch batch;
    struct ft_diag diag;
    memset(expected, 0, sizeof *expected);
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

/* ---- replay: misses of a fully associative cache are the cold touches and the distances from its
 * capacity on, where a bin of the histogram starts there ---- */

static void check_replay(const struct ft_machine *machine, const struct ft_simulation *simulation,
                         uint64_t seed)
{
    struct random_runs random;
    struct ft_replay *replay;
    struct ft_histograms histograms = {0};
    struct ft_diag diag = {0};
    static const uint64_t sizes[] = {8, 32, 64, 4096};
    const size_t size_count = sizeof sizes / sizeof *sizes;
    random_runs_init(&random, seed);
    if (!tap_ok(create_replay(sizes, size_count, NULL, &replay, &diag) == FT_OK &&
                    ft_replay_run(replay, &random.source, &diag) == FT_OK &&
                    ft_replay_finish(replay, &histograms, &diag) == FT_OK,
                "replays %s", diag.message))
        return;
    for (size_t i = 0; i < machine->level_count; i++) {
        const struct ft_level *level = &machine->levels[i];
        uint32_t first = ft_bin_of(level->blocks);
        size_t size = 0;
        bool same = true;
        while (size < size_count && sizes[size] != level->block_bytes)
            size++;
        if (size == size_count || ft_bin_low(first) != level->blocks)
            continue;
        for (uint32_t j = 0; j < RANDOM_REFERENCES; j++) {
            const struct ft_histogram *histogram = &histograms.histograms[j * size_count + size];
            uint64_t misses = histogram->cold;
            for (size_t k = 0; k < histogram->bin_count; k++)
                misses += histogram->bins[k].bin >= first ? histogram->bins[k].count : 0;
            same =
                same && misses == simulation->fully_associative_misses[i * RANDOM_REFERENCES + j];
        }
        tap_ok(same, "%s, seed %llu: replay gives the same misses", level->name,
               (unsigned long long)seed);
    }
    ft_replay_destroy(replay);
    ft_histograms_fini(&histograms);
}

static void check(const char *description, uint64_t seed, uint32_t threads, int helpers)
{
    struct ft_machine machine;
    struct ft_simulation simulation;
    struct random_runs random;
    struct ft_diag diag = {0};
    if (!tap_ok(ft_machine_parse(description, &machine, &diag) == FT_OK, "%s %s", description,
                diag.message))
        return;
    random.seed = seed;
    random.thread_count = threads;
    omp_set_num_threads(helpers);
    if (tap_ok(ft_simulate(&machine, threads, random_runs_open, &random, NULL, &simulation,
                           &diag) == FT_OK,
               "simulates %s", diag.message)) {
        for (size_t i = 0; i < machine.level_count; i++)
            for (int full = 0; full < 2; full++) {
                struct expected expected;
                uint64_t total = 0;
                reference_run(&expected, &machine.levels[i], full, seed, threads);
                const uint64_t *simulated = (full ? simulation.fully_associative_misses
                                                  : simulation.set_associative_misses) +
                                            i * RANDOM_REFERENCES;
                for (int j = 0; j < RANDOM_REFERENCES; j++)
                    total += expected.misses[j];
                tap_ok(memcmp(expected.misses, simulated, sizeof expected.misses) == 0 &&
                           memcmp(expected.accesses, simulation.accesses,
                                  sizeof expected.accesses) == 0,
                       "%s %s, seed %llu, %u threads: %llu misses", machine.levels[i].name,
                       full ? "fully associative" : "set-associative", (unsigned long long)seed,
                       threads, (unsigned long long)total);
            }
        if (threads == 1)
            check_replay(&machine, &simulation, seed);
        ft_simulation_fini(&simulation);
    }
    ft_machine_fini(&machine);
}

struct far {
    struct synthetic_runs runs;
    unsigned opened;
};

/* Addresses in more regions than can be numbered block by block, each touched twice: once cold,
 * then at once again. */
#define FAR_REGIONS 20000

static int open_far(void *context, struct ft_run_source **ret_source, struct ft_diag *diag)
{
    struct far *far = context;
    (void)diag;
    far->opened++;
    synthetic_rewind(&far->runs);
    *ret_source = &far->runs.source;
    return FT_OK;
}

static void check_far(void)
{
    struct ft_machine machine;
    struct ft_simulation simulation;
    struct far far = {0};
    struct ft_diag diag = {0};
    synthetic_init(&far.runs);
    const uint32_t first = synthetic_reference(&far.runs, 8);
    const uint32_t second = synthetic_reference(&far.runs, 8);
    for (uint64_t i = 0; i < FAR_REGIONS; i++) {
        synthetic_access(&far.runs, first, i << 21);
        synthetic_access(&far.runs, second, (i << 21) + 8);
    }
    ft_machine_parse("A:4K:64:4@1,B:8K:64:full@2,memory@92,TLB:32K:4K:2@20", &machine, &diag);
    if (tap_ok(ft_simulate(&machine, 1, open_far, &far, NULL, &simulation, &diag) == FT_OK,
               "simulates %d regions %s", FAR_REGIONS, diag.message)) {
        bool same = far.opened == 2;
        for (size_t i = 0; i < machine.level_count; i++)
            for (uint32_t j = 0; j < 2; j++)
                same = same &&
                       simulation.set_associative_misses[2 * i + j] == (j ? 0 : FAR_REGIONS) &&
                       simulation.fully_associative_misses[2 * i + j] == (j ? 0 : FAR_REGIONS) &&
                       simulation.accesses[j] == FAR_REGIONS;
        tap_ok(same, "starts over with smaller regions, and counts all accesses once");
        ft_simulation_fini(&simulation);
    }
    ft_machine_fini(&machine);
    synthetic_fini(&far.runs);
}

int main(void)
{
    for (uint64_t seed = 1; seed <= 2; seed++) {
        const int helpers = (int)seed;
        check("L1:1K:32:2@3,L2:4K:64:4@11,L3:16K:64:full@30,memory@92,"
              "TLB1:32K:4K:full@20,TLB2:64K:4K:4@30",
              seed, 1, helpers);
        /* 12 and 60 sets, 1 block, direct mapped */
        check("A:3K:64:4@1,B:11520:64:3@2,C:64:64:1@3,D:2K:8:1@4,memory@92,TLB:12K:4K:1@20", seed,
              1, helpers);
        /* private, shared by pairs, by three with one left over, by more than there are */
        check("A:2K:64:2@1,B:4K:64:4:shared_by=2@2,C:6K:64:16:shared_by=3@3,"
              "D:16K:32:8:shared_by=8@4,memory@92,TLB:32K:4K:full:shared_by=2@20",
              seed, THREADS_MAX, helpers);
    }
    check_far();
    return tap_plan_done();
}
