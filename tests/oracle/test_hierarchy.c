/*
 * Hierarchies against the reference, on random runs: every replacement, inclusion, write policy and
 * prefetcher, alone and together; with instruction levels, and with several cores, whose levels are
 * their own or shared. And what must hold of any.
 */
#include <stdlib.h>
#include <string.h>

#include "engine/simulate/hierarchy/hierarchy.h"
#include "engine/simulate/simulate.h"
#include "engine/streams/run_batch.h"
#include "tests/support/random_runs.h"
#include "tests/support/reference_hierarchy.h"
#include "tests/support/run_accesses.h"
#include "tests/support/tap.h"

/* What a machine is given. */
struct program {
    uint64_t seed;
    uint32_t threads;
    bool fetches;
};

static void start(const struct program *program, struct random_runs *random)
{
    if (program->fetches || program->threads > 1)
        random_runs_init_mixed(random, program->seed, program->threads);
    else
        random_runs_init(random, program->seed);
}

struct reference_run {
    struct random_runs random;
    struct reference_hierarchy hierarchy;
    uint32_t core;
};

static void visit(void *context, uint32_t reference, uint64_t address)
{
    struct reference_run *expected = context;
    reference_hierarchy_access(&expected->hierarchy, expected->core,
                               &expected->random.references[reference], reference, address);
}

static void run_reference(const struct program *program, const struct ft_machine *machine,
                          struct reference_run *expected)
{
    struct ft_run_batch batch;
    struct ft_run_source *source = &expected->random.source;
    start(program, &expected->random);
    reference_hierarchy_init(&expected->hierarchy, machine, program->threads, program->seed,
                             RANDOM_REFERENCES);
    while (source->next(source, &batch, NULL) == FT_OK && batch.run_count > 0) {
        expected->core = batch.thread;
        visit_batch(&batch, visit, expected);
    }
}

static struct ft_hierarchy *simulate(const struct ft_machine *machine,
                                     const struct program *program)
{
    struct ft_hierarchy *hierarchy;
    struct random_runs random;
    struct ft_run_batch batch;
    struct ft_diag diag = {0};
    start(program, &random);
    if (!tap_ok(ft_hierarchy_create(machine, program->threads, program->seed, RANDOM_REFERENCES,
                                    &hierarchy, &diag) == FT_OK,
                "a hierarchy %s", diag.message))
        return NULL;
    if (program->seed % 2)
        tap_ok(ft_hierarchy_count_causes(hierarchy, RANDOM_REFERENCES, &diag) == FT_OK,
               "counts causes %s", diag.message);
    while (random.source.next(&random.source, &batch, &diag) == FT_OK && batch.run_count > 0)
        if (ft_run_batch_check(&random.source, &batch, &diag) != FT_OK ||
            ft_hierarchy_feed(hierarchy, batch.thread, &random.source, &batch, &diag) != FT_OK)
            tap_ok(false, "takes a batch: %s", diag.message);
    return hierarchy;
}

/* Over all machines: what never happens is not tested. */
static struct ft_level_traffic seen;
static uint64_t seen_causes[FT_MISS_CAUSES];

static void note_traffic(const struct ft_hierarchy *hierarchy)
{
    for (size_t i = 0; i < ft_hierarchy_level_count(hierarchy); i++) {
        const struct ft_level_traffic *traffic = &ft_hierarchy_level(hierarchy, i)->traffic;
        seen.evictions += traffic->evictions;
        seen.write_backs += traffic->write_backs;
        seen.invalidations += traffic->invalidations;
        seen.prefetches += traffic->prefetches;
        seen.useful_prefetches += traffic->useful_prefetches;
        const uint64_t *causes = ft_hierarchy_level(hierarchy, i)->causes;
        for (size_t n = 0; causes && n < (size_t)RANDOM_REFERENCES * FT_MISS_CAUSES; n++)
            seen_causes[n % FT_MISS_CAUSES] += causes[n];
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

static void check(const char *description, const struct program *program)
{
    struct ft_machine machine;
    struct ft_diag diag = {0};
    static struct reference_run expected;
    char text[200];
    if (!tap_ok(ft_machine_parse(description, &machine, &diag) == FT_OK, "%s %s", description,
                diag.message))
        return;
    struct ft_hierarchy *hierarchy = simulate(&machine, program);
    if (hierarchy) {
        run_reference(program, &machine, &expected);
        tap_ok(reference_hierarchy_same(&expected.hierarchy, hierarchy, RANDOM_REFERENCES, text),
               "seed %llu, %u threads: as the reference %s", (unsigned long long)program->seed,
               program->threads, text);
        check_conservation(hierarchy, machine.cache_count);
        note_traffic(hierarchy);
        reference_hierarchy_fini(&expected.hierarchy);
        ft_hierarchy_destroy(hierarchy);
    }
    ft_machine_fini(&machine);
}

/* The first levels see all accesses in either mode. */
static void check_first_levels(uint64_t seed)
{
    struct ft_machine machine;
    struct ft_simulation simulation;
    struct random_runs random = {.seed = seed, .thread_count = 1};
    struct ft_diag diag = {0};
    ft_machine_parse("L1:2K:32:4@4,L2:8K:64:4@9,memory@92,TLB:32K:4K:4@20", &machine, &diag);
    const struct program program = {seed, 1, false};
    struct ft_hierarchy *hierarchy = simulate(&machine, &program);
    if (hierarchy && tap_ok(ft_simulate(&machine, 1, random_runs_open, &random, NULL, &simulation,
                                        &diag) == FT_OK,
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

/* What cannot be simulated is refused. */
static void check_refused(const char *description, uint32_t cores, int expected)
{
    struct ft_machine machine;
    struct ft_hierarchy *hierarchy = NULL;
    struct ft_diag diag = {0};
    ft_machine_parse(description, &machine, &diag);
    tap_ok(ft_hierarchy_create(&machine, cores, 1, 1, &hierarchy, &diag) == expected,
           "%u cores: %s", cores, diag.message);
    ft_hierarchy_destroy(hierarchy);
    ft_machine_fini(&machine);
}

/* Instruction levels, unified ones, several cores. */
static void check_mixed(void)
{
    static const char *const machines[] = {
        "L1:2K:64:4@4,L2:8K:64:4:unified@9,memory@92,I1:1K:64:2:instruction",
        "L1:2K:64:4@4,L2:8K:64:4@9,memory@92,I1:1K:32:2:instruction,I2:4K:32:4:instruction",
        "L1:1K:32:4@4,L2:2K:64:2:inclusive:unified@9,L3:16K:64:4@30,memory@92,"
        "I1:1K:64:4:plru:next_line:instruction,DTLB:32K:4K:4@7,TLB2:64K:4K:4:unified@30,"
        "ITLB:16K:4K:4:instruction",
        "L1:1K:64:4@4,L2:2K:64:4@9,L3:8K:64:4:exclusive:unified@30,memory@92,"
        "I1:1K:64:4:random:instruction",
        "L1:1K:64:4@4,L2:4K:64:4:exclusive:unified:random@9,memory@92,"
        "I1:512:64:2:plru:instruction",
        "L1:1K:64:4:stride=2@4,L2:4K:64:4:unified@9,L3:16K:64:8:shared_by=2:inclusive:random@30,"
        "memory@92,I1:1K:64:4:instruction,TLB:16K:4K:4@20,TLB2:64K:4K:4:shared_by=2:unified@30,"
        "ITLB:16K:4K:4:instruction",
        "L1:1K:64:4@4,L2:2K:64:4:unified:shared_by=2@9,L3:8K:64:4:exclusive:shared_by=4@30,"
        "memory@92,I1:1K:64:2:instruction",
        "L1:1K:64:4:through:shared_by=3@4,L2:2K:64:4:shared_by=3:random@9,memory@92",
    };
    for (uint64_t seed = 1; seed <= tap_repetitions(2, 1, 1); seed++)
        for (size_t i = 0; i < sizeof machines / sizeof *machines; i += tap_repetitions(1, 1, 3))
            for (uint32_t threads = (uint32_t)tap_repetitions(1, 1, 3);
                 threads <= tap_repetitions(5, 5, 3); threads += 2)
                check(machines[i], &(struct program){seed, threads, true});
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
    for (uint64_t seed = 1; seed <= tap_repetitions(2, 1, 1); seed++)
        for (size_t i = 0; i < sizeof machines / sizeof *machines; i += tap_repetitions(1, 1, 3))
            check(machines[i], &(struct program){seed, 1, false});
    check_mixed();
    tap_ok(seen.evictions > 1000 && seen.write_backs > 1000 && seen.invalidations > 1000 &&
               seen.prefetches > 1000 && seen.useful_prefetches > 1000,
           "evictions, write-backs, invalidations, prefetches and useful ones in thousands");
    tap_ok(seen_causes[FT_MISS_COLD] > 1000 && seen_causes[FT_MISS_CAPACITY] > 1000 &&
               seen_causes[FT_MISS_CONFLICT] > 1000,
           "cold, capacity and conflict misses, too");
    check_first_levels(7);
    const int unsupported = FT_ERROR_UNSUPPORTED;
    check_refused("L1:2K:64:4@4,L2:8K:32:4@9,memory@92", 1, unsupported);
    check_refused("L1:2K:64:4@4,L2:8K:32:4:unified@9,I:2K:64:4:instruction,memory@92", 1,
                  unsupported);
    check_refused("L1:2K:64:4:shared_by=2@4,L2:8K:64:4:shared_by=3@9,memory@92", 4, unsupported);
    check_refused("L1:2K:64:4:shared_by=2@4,L2:8K:64:4:shared_by=3@9,memory@92", 3, FT_OK);
    return tap_plan_done();
}
