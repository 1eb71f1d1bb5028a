/*
 *  progress    the mean of all caches
 *  caches      each by itself; with fixed accesses apart, where there are some (fixed_accesses.h)
 *  levels      those with a cache that was given up are simulated plainly, all in one pass
 *  simulation
 */
#include "engine/simulate/warping/warped_simulation.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "engine/simulate/warping/fixed_accesses.h"

#define SIMULATED_SHARE 0.01 /* of the accesses, before a cache is given up */
#define MAX_PART        4.0  /* of what may be simulated at most, for one cache that is given up */

struct simulated {
    struct ft_progress progress; /* first, so that a progress is cast to its whole */
    struct simulating *all;
    uint64_t taken; /* accesses, of those that are shown */
    struct ft_cache_form form;
    size_t level;
    uint64_t *misses;   /* [reference], where they go */
    uint64_t *accesses; /* likewise; NULL: not wanted */
    bool is_done;       /* else it was given up */
    int status;
    struct ft_diag diag;
};

struct simulating {
    uint64_t taken; /* accesses of all caches */
    const struct ft_warped_simulation_task *task;
    const struct ft_machine *machine;
    struct ft_warped_program program;
    struct ft_fixed_accesses fixed;
    struct ft_simulation *simulation;
    struct simulated *caches; /* of each level the full one, then the other if it is not that */
    size_t cache_count;
};

/* ---- progress ---- */

static void update(struct ft_progress *progress, uint64_t done, uint64_t total, const char *unit)
{
    struct simulated *simulated = (struct simulated *)progress;
    struct simulating *all = simulated->all;
#pragma omp critical(ft_warped_progress)
    {
        all->taken += done > simulated->taken ? done - simulated->taken : 0;
        ft_progress_update(all->task->progress, all->taken / all->cache_count, total, unit);
    }
    if (done > simulated->taken)
        simulated->taken = done;
}

/* ---- caches ---- */

/* Adds the misses, or takes them off. */
static void add_counts(const struct simulating *simulating, struct simulated *simulated,
                       const struct ft_single_cache *cache, bool takes_off)
{
    for (uint32_t r = 0; r < simulating->program.reference_count; r++) {
        const uint64_t misses = cache->counts[r].misses;
        simulated->misses[r] += takes_off ? 0 - misses : misses;
    }
}

static bool may_be_plain(const struct simulating *simulating)
{
    const struct ft_warped_program *program = &simulating->program;
    return (double)program->executions->before[program->nest->token_count] <=
           simulating->task->simulated_max;
}

/* A run of the program. task->left_out: what is not made; some: the sets that are simulated. */
static int simulate_part(const struct simulating *simulating, struct simulated *simulated,
                         const struct ft_warp_task *task, const struct ft_some_sets *some,
                         struct ft_diag *diag)
{
    const struct ft_warped_program *program = &simulating->program;
    struct ft_single_cache cache;
    FT_TRY(ft_single_cache_init(&cache, &simulated->form, some, program->reference_count, diag));
    int status = ft_warp(program, task, &cache, &simulated->is_done, diag);
    if (!status && simulated->is_done)
        add_counts(simulating, simulated, &cache, some && task->left_out);
    for (uint32_t r = 0; !status && simulated->accesses && r < program->reference_count; r++)
        simulated->accesses[r] = cache.counts[r].accesses;
    ft_single_cache_fini(&cache);
    return status;
}

/* All sets without what is fixed; then of its sets that off, and what they are with it on. */
static int simulate_apart(const struct simulating *simulating, struct simulated *simulated,
                          struct ft_warp_task *task, const struct ft_some_sets *some,
                          struct ft_diag *diag)
{
    task->left_out = simulating->fixed.is_fixed;
    FT_TRY(simulate_part(simulating, simulated, task, NULL, diag));
    if (!simulated->is_done)
        return FT_OK;
    task->simulated_share = task->simulated_max = INFINITY;
    FT_TRY(simulate_part(simulating, simulated, task, some, diag));
    task->left_out = NULL;
    return simulate_part(simulating, simulated, task, some, diag);
}

static int simulate_cache(const struct simulating *simulating, struct simulated *simulated,
                          struct ft_diag *diag)
{
    struct ft_warp_task task = {.simulated_share = SIMULATED_SHARE,
                                .simulated_max = simulating->task->simulated_max / MAX_PART,
                                .progress = &simulated->progress};
    struct ft_some_sets some = {0};
    if (simulated->form.blocks != simulated->form.ways)
        FT_TRY(ft_fixed_sets_find(&simulating->fixed, &simulated->form, &some, diag));
    int status = some.up ? simulate_apart(simulating, simulated, &task, &some, diag)
                         : simulate_part(simulating, simulated, &task, NULL, diag);
    ft_some_sets_fini(&some);
    return status;
}

/* One that is given up where nothing may be simulated plainly, or that failed, ends all. */
static int simulate_caches(struct simulating *simulating, struct ft_diag *diag)
{
    bool must_end = false;
#pragma omp parallel for schedule(dynamic, 1)
    for (size_t i = 0; i < simulating->cache_count; i++) {
        struct simulated *simulated = &simulating->caches[i];
        bool ends;
#pragma omp atomic read
        ends = must_end;
        if (ends)
            continue;
        simulated->status = simulate_cache(simulating, simulated, &simulated->diag);
        if (!simulated->status && (simulated->is_done || may_be_plain(simulating)))
            continue;
#pragma omp atomic write
        must_end = true;
    }
    for (size_t i = 0; i < simulating->cache_count; i++)
        if (simulating->caches[i].status) {
            *diag = simulating->caches[i].diag;
            return simulating->caches[i].status;
        }
    return FT_OK;
}

/* ---- levels ---- */

static bool is_given_up(const struct simulating *simulating, size_t level)
{
    for (size_t i = 0; i < simulating->cache_count; i++)
        if (simulating->caches[i].level == level && !simulating->caches[i].is_done)
            return true;
    return false;
}

/* Takes what was simulated plainly of some levels. */
static void take_plain(const struct simulating *simulating, const struct ft_simulation *plain,
                       const size_t *levels)
{
    const size_t references = simulating->program.reference_count;
    for (size_t i = 0; i < simulating->cache_count; i++) {
        const struct simulated *simulated = &simulating->caches[i];
        size_t level = 0;
        if (simulated->is_done)
            continue;
        while (levels[level] != simulated->level)
            level++;
        const uint64_t *misses = simulated->form.blocks == simulated->form.ways
                                     ? plain->fully_associative_misses
                                     : plain->set_associative_misses;
        memcpy(simulated->misses, misses + level * references, references * sizeof *misses);
        if (simulated->accesses)
            memcpy(simulated->accesses, plain->accesses, references * sizeof *plain->accesses);
    }
}

static int simulate_plainly(const struct simulating *simulating, struct ft_level *levels,
                            size_t *numbers, struct ft_diag *diag)
{
    const struct ft_warped_simulation_task *task = simulating->task;
    struct ft_machine part = *simulating->machine;
    struct ft_simulation plain;
    part.levels = levels;
    part.level_count = 0;
    for (size_t level = 0; level < simulating->machine->level_count; level++)
        if (is_given_up(simulating, level)) {
            numbers[part.level_count] = level;
            levels[part.level_count++] = simulating->machine->levels[level];
        }
    if (part.level_count == 0)
        return FT_OK;
    if (!may_be_plain(simulating))
        return ft_fail(diag, FT_ERROR_UNSUPPORTED, "more than %.3g accesses would be simulated",
                       task->simulated_max);
    FT_TRY(ft_simulate(&part, 1, task->open, task->context, task->progress, &plain, diag));
    take_plain(simulating, &plain, numbers);
    ft_simulation_fini(&plain);
    return FT_OK;
}

static int simulate_given_up(const struct simulating *simulating, struct ft_diag *diag)
{
    const size_t count = simulating->machine->level_count;
    struct ft_level *levels = calloc(count + 1, sizeof *levels);
    size_t *numbers = calloc(count + 1, sizeof *numbers);
    int status = levels && numbers ? simulate_plainly(simulating, levels, numbers, diag)
                                   : ft_fail_memory(diag, "the simulation");
    free(levels);
    free(numbers);
    return status;
}

/* ---- simulation ---- */

static int add_caches(struct simulating *simulating, struct ft_diag *diag)
{
    const size_t references = simulating->program.reference_count;
    const struct ft_simulation *simulation = simulating->simulation;
    simulating->caches =
        calloc(2 * simulating->machine->level_count + 1, sizeof *simulating->caches);
    if (!simulating->caches)
        return ft_fail_memory(diag, "the simulation");
    for (size_t i = 0; i < simulating->machine->level_count; i++) {
        const struct ft_level *level = &simulating->machine->levels[i];
        struct simulated simulated = {.progress = {update},
                                      .all = simulating,
                                      .form = {level->block_bytes, level->blocks, level->blocks},
                                      .level = i,
                                      .misses =
                                          simulation->fully_associative_misses + i * references};
        simulating->caches[simulating->cache_count++] = simulated;
        if (level->ways == level->blocks)
            continue;
        simulated.form.ways = level->ways;
        simulated.misses = simulation->set_associative_misses + i * references;
        simulating->caches[simulating->cache_count++] = simulated;
    }
    simulating->caches[0].accesses = simulation->accesses;
    return FT_OK;
}

static void copy_full_levels(const struct simulating *simulating)
{
    const size_t references = simulating->program.reference_count;
    const struct ft_simulation *simulation = simulating->simulation;
    for (size_t i = 0; i < simulating->machine->level_count; i++) {
        const struct ft_level *level = &simulating->machine->levels[i];
        if (level->ways == level->blocks)
            memcpy(simulation->set_associative_misses + i * references,
                   simulation->fully_associative_misses + i * references,
                   references * sizeof(uint64_t));
    }
}

static int simulate(struct simulating *simulating, struct ft_diag *diag)
{
    FT_TRY(ft_fixed_accesses_find(&simulating->program, &simulating->fixed, diag));
    FT_TRY(add_caches(simulating, diag));
    FT_TRY(simulate_caches(simulating, diag));
    FT_TRY(simulate_given_up(simulating, diag));
    copy_full_levels(simulating);
    return FT_OK;
}

int ft_warped_simulate(const struct ft_warped_simulation_task *task,
                       const struct ft_machine *machine, struct ft_simulation *ret_simulation,
                       struct ft_diag *diag)
{
    struct ft_nest_executions executions;
    struct ft_simulation simulation;
    struct simulating simulating = {
        .task = task, .machine = machine, .program = task->program, .simulation = &simulation};
    simulating.program.executions = &executions;
    FT_TRY(ft_nest_executions_make(task->program.nest, &executions, diag));
    int status =
        ft_simulation_init(&simulation, machine->level_count, task->program.reference_count, diag);
    if (!status) {
        status = simulate(&simulating, diag);
        if (status)
            ft_simulation_fini(&simulation);
    }
    ft_fixed_accesses_fini(&simulating.fixed);
    free(simulating.caches);
    ft_nest_executions_fini(&executions);
    if (!status)
        *ret_simulation = simulation;
    return status;
}
