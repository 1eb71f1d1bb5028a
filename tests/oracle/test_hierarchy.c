/*
 * Hierarchies against the naive one, on random runs: every replacement, inclusion, write policy and
 * prefetcher, alone and together. And what must hold of any.
 */
#include <stdlib.h>
#include <string.h>

#include "engine/simulate/epochs.h"
#include "engine/simulate/hierarchy.h"
#include "engine/simulate/simulate.h"
#include "tests/naive_hierarchy.h"
#include "tests/random_runs.h"
#include "tests/tap.h"

struct witness {
    struct random_runs random;
    struct naive_hierarchy naive;
};

static void visit(void *context, uint32_t reference, uint64_t address)
{
    struct witness *witness = context;
    naive_access(&witness->naive, &witness->random.references[reference], reference, address);
}

static struct ft_hierarchy *simulate(const struct ft_machine *machine, uint64_t seed)
{
    struct ft_hierarchy *hierarchy;
    struct random_runs random;
    struct ft_run_batch batch;
    struct ft_diag diag = {0};
    random_runs_init(&random, seed);
    if (!tap_ok(ft_hierarchy_create(machine, seed, RANDOM_REFERENCES, &hierarchy, &diag) == FT_OK,
                "a hierarchy %s", diag.message))
        return NULL;
    while (random.source.next(&random.source, &batch, &diag) == FT_OK && batch.run_count > 0)
        if (ft_run_batch_check(&random.source, &batch, &diag) != FT_OK ||
            ft_hierarchy_feed(hierarchy, &random.source, &batch, &diag) != FT_OK)
            tap_ok(false, "takes a batch: %s", diag.message);
    return hierarchy;
}

/* Over all machines: what never happens is not tested. */
static struct ft_level_traffic seen;

static void note_traffic(const struct ft_hierarchy *hierarchy)
{
    for (size_t i = 0; i < ft_hierarchy_level_count(hierarchy); i++) {
        const struct ft_level_traffic *traffic = &ft_hierarchy_level(hierarchy, i)->traffic;
        seen.evictions += traffic->evictions;
        seen.write_backs += traffic->write_backs;
        seen.invalidations += traffic->invalidations;
        seen.prefetches += traffic->prefetches;
        seen.useful_prefetches += traffic->useful_prefetches;
    }
}

static uint64_t total(const uint64_t *counts)
{
    uint64_t sum = 0;
    for (int j = 0; j < RANDOM_REFERENCES; j++)
        sum += counts[j];
    return sum;
}

/* Blocks neither appear nor vanish. */
static void check_conservation(const struct ft_hierarchy *hierarchy, size_t caches)
{
    bool holds = true;
    for (size_t i = 0; i < ft_hierarchy_level_count(hierarchy); i++) {
        const struct ft_hierarchy_level *level = ft_hierarchy_level(hierarchy, i);
        holds = holds && total(level->misses) <= total(level->accesses) &&
                level->traffic.useful_prefetches <= level->traffic.prefetches &&
                level->traffic.write_backs <= level->traffic.evictions;
        if (i > 0 && i < caches && level->level->behaviour.write_miss == FT_WRITE_ALLOCATE) {
            const struct ft_hierarchy_level *before = ft_hierarchy_level(hierarchy, i - 1);
            holds = holds && total(level->accesses) >= total(before->misses);
        }
    }
    tap_ok(holds, "counts fit together");
}

static void check(const char *description, uint64_t seed)
{
    struct ft_machine machine;
    struct ft_diag diag = {0};
    struct witness witness;
    char text[200];
    if (!tap_ok(ft_machine_parse(description, &machine, &diag) == FT_OK, "%s %s", description,
                diag.message))
        return;
    struct ft_hierarchy *hierarchy = simulate(&machine, seed);
    if (hierarchy) {
        random_runs_init(&witness.random, seed);
        naive_init(&witness.naive, &machine, seed, RANDOM_REFERENCES);
        visit_accesses(&witness.random.source, visit, &witness);
        tap_ok(naive_same(&witness.naive, hierarchy, RANDOM_REFERENCES, text),
               "seed %llu: as naively %s", (unsigned long long)seed, text);
        check_conservation(hierarchy, machine.cache_count);
        note_traffic(hierarchy);
        naive_fini(&witness.naive);
        ft_hierarchy_destroy(hierarchy);
    }
    ft_machine_fini(&machine);
}

/* The first levels see all accesses in either mode. */
static void check_first_levels(uint64_t seed)
{
    struct ft_machine machine;
    struct ft_simulation simulation;
    struct random_runs random;
    struct ft_diag diag = {0};
    ft_machine_parse("L1:2K:32:4@4,L2:8K:64:4@9,memory@92,TLB:32K:4K:4@20", &machine, &diag);
    struct ft_hierarchy *hierarchy = simulate(&machine, seed);
    random_runs_init(&random, seed);
    if (hierarchy &&
        tap_ok(ft_simulate(&machine, &random.source, NULL, &simulation, &diag) == FT_OK,
               "simulates each level alone %s", diag.message)) {
        for (size_t i = 0; i < 3; i += 2)
            tap_ok(memcmp(ft_hierarchy_level(hierarchy, i)->misses,
                          simulation.set_associative_misses + i * RANDOM_REFERENCES,
                          RANDOM_REFERENCES * sizeof(uint64_t)) == 0,
                   "%s misses as it does alone", machine.levels[i].name);
        ft_simulation_fini(&simulation);
    }
    ft_hierarchy_destroy(hierarchy);
    ft_machine_fini(&machine);
}

static void check_lines(void)
{
    struct ft_machine machine;
    struct ft_hierarchy *hierarchy;
    struct ft_diag diag = {0};
    ft_machine_parse("L1:2K:64:4@4,L2:8K:32:4@9,memory@92", &machine, &diag);
    tap_ok(ft_hierarchy_create(&machine, 1, 1, &hierarchy, &diag) == FT_ERROR_UNSUPPORTED, "%s",
           diag.message);
    ft_machine_fini(&machine);
}

int main(void)
{
    static const char *const machines[] = {
        "L1:2K:32:4@4,L2:8K:64:4@9,L3:32K:64:8@30,memory@92,TLB:32K:4K:4@20,TLB2:64K:8K:4@30",
        "L1:2K:64:4:plru@4,L2:8K:64:8:plru@9,memory@92,TLB:32K:4K:8:plru@20",
        "L1:2K:64:4:random@4,L2:8K:64:8:random@9,memory@92,TLB:32K:4K:8:random@20",
        "L1:1K:32:4@4,L2:4K:64:2:inclusive@9,L3:8K:128:4:inclusive@30,memory@92",
        "L1:1K:32:2:plru@4,L2:2K:64:4:inclusive:random@9,memory@92",
        "L1:2K:64:4@4,L2:8K:64:4:exclusive@9,L3:16K:64:4@30,memory@92",
        "A:1K:64:4:plru@1,B:2K:64:4@2,C:8K:64:4:exclusive:random@3,D:8K:64:4:exclusive@4,memory@9",
        "L1:2K:64:4@4,L2:8K:64:4:exclusive@9,L3:16K:64:4:inclusive@30,memory@92",
        "L1:2K:32:4:through@4,L2:8K:64:4@9,memory@92",
        "L1:2K:32:4:around@4,L2:8K:64:4@9,memory@92",
        "L1:2K:32:4:through:around@4,L2:8K:64:4:through@9,L3:8K:64:4:inclusive@12,memory@92",
        "L1:2K:64:4:next_line@4,L2:8K:64:4@9,memory@92",
        "L1:2K:64:4@4,L2:8K:64:4:next_line=4@9,memory@92",
        "L1:2K:32:4:stride=2@4,L2:8K:64:4:stride=4:inclusive@9,memory@92",
        "L1:2K:64:4:stride:plru@4,L2:8K:64:4:exclusive@9,memory@92",
        "L1:3K:64:4:next_line=2:random@4,L2:11520:64:3:random@9,L3:12K:64:1:inclusive@20,memory@92",
    };
    for (uint64_t seed = 1; seed <= 2; seed++)
        for (size_t i = 0; i < sizeof machines / sizeof *machines; i++)
            check(machines[i], seed);
    tap_ok(seen.evictions > 1000 && seen.write_backs > 1000 && seen.invalidations > 1000 &&
               seen.prefetches > 1000 && seen.useful_prefetches > 1000,
           "evictions, write-backs, invalidations, prefetches and useful ones in thousands");
    check_first_levels(7);
    check_lines();
    return tap_plan_done();
}
