/*
 * The simulator against a witness that cannot be wrong: every access on its own, every set a plain
 * list in order of recency. Random runs, with strides on both sides of the block sizes, negative
 * ones, bodies larger than a set, and accesses that span blocks. And against the replay, which
 * knows nothing of caches.
 */
#include <stdlib.h>
#include <string.h>

#include "engine/replay/replay.h"
#include "engine/simulate/simulate.h"
#include "tests/random.h"
#include "tests/tap.h"

#define REFERENCES 12
#define ENTRIES    400
#define RUNS       60

static uint64_t random_state;

/* A source of one batch after another, each of RUNS random runs. */
struct random_source {
    struct ft_run_source source;
    struct ft_reference references[REFERENCES];
    unsigned batches_left;
    struct ft_run runs[RUNS];
    uint32_t entry_references[ENTRIES];
    uint64_t addresses[ENTRIES];
    int64_t strides[ENTRIES];
};

static void fill_batch(struct random_source *random, struct ft_run_batch *batch)
{
    static const int64_t strides[] = {0, 8, 8, 8, 4, -8, 24, 64, -64, 72, 256, 4096, 5000, -4096};
    size_t entries = 0;
    *batch = (struct ft_run_batch){random->runs,    0, random->entry_references, random->addresses,
                                   random->strides, 0};
    while (batch->run_count < RUNS && entries + 20 < ENTRIES) {
        uint32_t body =
            1 + (uint32_t)random_below(&random_state, random_below(&random_state, 4) ? 4 : 20);
        uint64_t iterations =
            random_below(&random_state, 3) ? 1 + random_below(&random_state, 300) : 1;
        random->runs[batch->run_count++] = (struct ft_run){entries, body, iterations};
        for (uint32_t j = 0; j < body; j++, entries++) {
            random->entry_references[entries] = (uint32_t)random_below(&random_state, REFERENCES);
            random->addresses[entries] =
                0x100000 +
                4 * random_below(&random_state, random_below(&random_state, 2) ? 64 : 16384);
            random->strides[entries] =
                strides[random_below(&random_state, sizeof strides / sizeof *strides)];
        }
    }
    batch->entry_count = entries;
}

static int next_batch(struct ft_run_source *source, struct ft_run_batch *ret_batch,
                      struct ft_diag *diag)
{
    struct random_source *random = (struct random_source *)source;
    (void)diag;
    if (random->batches_left == 0)
        *ret_batch = (struct ft_run_batch){0};
    else
        fill_batch(random, ret_batch);
    random->batches_left -= random->batches_left > 0;
    return FT_OK;
}

static void init_source(struct random_source *random, uint64_t seed)
{
    static const uint32_t sizes[] = {1, 4, 8, 8, 8, 16, 32, 64, 100};
    memset(random, 0, sizeof *random);
    random_state = seed;
    random->source = (struct ft_run_source){
        .references = random->references, .reference_count = REFERENCES, .next = next_batch};
    for (int i = 0; i < REFERENCES; i++)
        random->references[i].size_bytes =
            sizes[random_below(&random_state, sizeof sizes / sizeof *sizes)];
    random->batches_left = 5;
}

/* ---- the witness ---- */

struct list_cache {
    uint64_t block_bytes, ways, sets;
    uint64_t *blocks; /* [set][age], UINT64_MAX: empty */
};

static bool witness_touch(struct list_cache *cache, uint64_t block)
{
    uint64_t *set = cache->blocks + block % cache->sets * cache->ways;
    uint64_t age = 0;
    while (age < cache->ways && set[age] != block)
        age++;
    bool miss = age == cache->ways;
    for (uint64_t i = miss ? age - 1 : age; i > 0; i--)
        set[i] = set[i - 1];
    set[0] = block;
    return miss;
}

static void witness(const struct ft_level *level, bool full, uint64_t seed, uint64_t *misses,
                    uint64_t *accesses)
{
    struct random_source random;
    struct ft_run_batch batch;
    struct list_cache cache = {level->block_bytes, full ? level->blocks : level->ways,
                               full ? 1 : level->blocks / level->ways, NULL};
    cache.blocks = malloc(level->blocks * sizeof *cache.blocks);
    memset(cache.blocks, 0xff, level->blocks * sizeof *cache.blocks);
    memset(misses, 0, REFERENCES * sizeof *misses);
    memset(accesses, 0, REFERENCES * sizeof *accesses);
    init_source(&random, seed);
    while (next_batch(&random.source, &batch, NULL) == FT_OK && batch.run_count > 0)
        for (size_t r = 0; r < batch.run_count; r++)
            for (uint64_t i = 0; i < batch.runs[r].iteration_count; i++)
                for (uint32_t j = 0; j < batch.runs[r].reference_count; j++) {
                    size_t entry = batch.runs[r].first + j;
                    uint32_t reference = batch.references[entry];
                    uint64_t first = batch.addresses[entry] + i * (uint64_t)batch.strides[entry];
                    uint64_t last = first + random.references[reference].size_bytes - 1;
                    accesses[reference]++;
                    uint64_t block = first / cache.block_bytes;
                    uint64_t end = last / cache.block_bytes + 1;
                    for (; block < end; block++)
                        misses[reference] += witness_touch(&cache, block);
                }
    free(cache.blocks);
}

/* ---- replay: misses of a fully associative cache are the cold touches and the distances from its
 * capacity on, where a bin of the histogram starts there ---- */

static void check_replay(const struct ft_machine *machine, const struct ft_simulation *simulation,
                         uint64_t seed)
{
    struct random_source random;
    struct ft_replay *replay;
    struct ft_histograms histograms = {0};
    struct ft_diag diag = {0};
    static const uint64_t sizes[] = {8, 32, 64, 4096};
    const size_t size_count = sizeof sizes / sizeof *sizes;
    init_source(&random, seed);
    if (!tap_ok(ft_replay_create(sizes, size_count, NULL, &replay, &diag) == FT_OK &&
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
        for (uint32_t j = 0; j < REFERENCES; j++) {
            const struct ft_histogram *histogram = &histograms.histograms[j * size_count + size];
            uint64_t misses = histogram->cold;
            for (size_t k = 0; k < histogram->bin_count; k++)
                misses += histogram->bins[k].bin >= first ? histogram->bins[k].count : 0;
            same = same && misses == simulation->fully_associative_misses[i * REFERENCES + j];
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
    struct random_source random;
    struct ft_diag diag = {0};
    if (!tap_ok(ft_machine_parse(description, &machine, &diag) == FT_OK, "%s %s", description,
                diag.message))
        return;
    init_source(&random, seed);
    if (tap_ok(ft_simulate(&machine, &random.source, NULL, &simulation, &diag) == FT_OK,
               "simulates %s", diag.message)) {
        for (size_t i = 0; i < machine.level_count; i++)
            for (int full = 0; full < 2; full++) {
                uint64_t misses[REFERENCES], accesses[REFERENCES], total = 0;
                witness(&machine.levels[i], full, seed, misses, accesses);
                const uint64_t *simulated = (full ? simulation.fully_associative_misses
                                                  : simulation.set_associative_misses) +
                                            i * REFERENCES;
                for (int j = 0; j < REFERENCES; j++)
                    total += misses[j];
                tap_ok(memcmp(misses, simulated, sizeof misses) == 0 &&
                           memcmp(accesses, simulation.accesses, sizeof accesses) == 0,
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
