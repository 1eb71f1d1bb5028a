/*
 * The simulator against a reference that cannot be wrong: every access on its own, every set a
 * plain list in order of recency. And against the replay, which knows nothing of caches.
 */
#include <stdlib.h>
#include <string.h>

#include "engine/reuse/stacks/replay.h"
#include "engine/simulate/simulate.h"
#include "tests/support/create_replay.h"
#include "tests/support/random_runs.h"
#include "tests/support/reference_cache.h"
#include "tests/support/run_accesses.h"
#include "tests/support/tap.h"

/* ---- the reference ---- */

struct expected {
    struct random_runs random;
    struct reference_cache cache;
    uint64_t misses[RANDOM_REFERENCES], accesses[RANDOM_REFERENCES];
};

static void visit(void *context, uint32_t reference, uint64_t address)
{
    struct expected *expected = context;
    uint64_t last = address + expected->random.references[reference].size_bytes - 1;
    expected->accesses[reference]++;
    uint64_t block = address / expected->cache.block_bytes;
    uint64_t end = last / expected->cache.block_bytes + 1;
    for (; block < end; block++)
        expected->misses[reference] += reference_cache_touch(&expected->cache, block);
}

static void reference_run(struct expected *expected, const struct ft_level *level, bool full,
                          uint64_t seed)
{
    memset(expected, 0, sizeof *expected);
    reference_cache_init(&expected->cache, level->block_bytes, full ? level->blocks : level->ways,
                         full ? 1 : level->blocks / level->ways);
    random_runs_init(&expected->random, seed);
    visit_accesses(&expected->random.source, visit, expected);
    reference_cache_fini(&expected->cache);
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

static void check(const char *description, uint64_t seed)
{
    struct ft_machine machine;
    struct ft_simulation simulation;
    struct random_runs random;
    struct ft_diag diag = {0};
    if (!tap_ok(ft_machine_parse(description, &machine, &diag) == FT_OK, "%s %s", description,
                diag.message))
        return;
    random.seed = seed;
    if (tap_ok(ft_simulate(&machine, 1, random_runs_open, &random, NULL, &simulation, &diag) ==
                   FT_OK,
               "simulates %s", diag.message)) {
        for (size_t i = 0; i < machine.level_count; i++)
            for (int full = 0; full < 2; full++) {
                struct expected expected;
                uint64_t total = 0;
                reference_run(&expected, &machine.levels[i], full, seed);
                const uint64_t *simulated = (full ? simulation.fully_associative_misses
                                                  : simulation.set_associative_misses) +
                                            i * RANDOM_REFERENCES;
                for (int j = 0; j < RANDOM_REFERENCES; j++)
                    total += expected.misses[j];
                tap_ok(memcmp(expected.misses, simulated, sizeof expected.misses) == 0 &&
                           memcmp(expected.accesses, simulation.accesses,
                                  sizeof expected.accesses) == 0,
                       "%s %s, seed %llu: %llu misses", machine.levels[i].name,
                       full ? "fully associative" : "set-associative", (unsigned long long)seed,
                       (unsigned long long)total);
            }
        check_replay(&machine, &simulation, seed);
        ft_simulation_fini(&simulation);
    }
    ft_machine_fini(&machine);
}

int main(void)
{
    for (uint64_t seed = 1; seed <= 2; seed++) {
        check("L1:1K:32:2@3,L2:4K:64:4@11,L3:16K:64:full@30,memory@92,"
              "TLB1:32K:4K:full@20,TLB2:64K:4K:4@30",
              seed);
        /* 12 and 60 sets, 1 block, direct mapped */
        check("A:3K:64:4@1,B:11520:64:3@2,C:64:64:1@3,D:2K:8:1@4,memory@92,TLB:12K:4K:1@20", seed);
    }
    return tap_plan_done();
}
