/*
 * One job for each level and kind of associativity, with a cache for each group of threads that
 * share the level; a batch of runs is given to all jobs at once.
 *
 * A run is walked in epochs (epochs.h). If an iteration inside an epoch misses nowhere, then
 * neither does any later one of the epoch, and it leaves the cache as it found it: the same blocks
 * are touched in the same order, so they are the most recent ones of their sets in that order
 * already. So the rest of the epoch is skipped. Where a body touches at most as many blocks as a
 * set has ways, the second iteration cannot miss and is skipped too.
 */
#include "engine/simulate/simulate.h"

#include <stdlib.h>

#include "engine/simulate/cache.h"
#include "engine/streams/epochs.h"
#include "engine/streams/run_batch.h"

struct job {
    struct ft_cache **caches; /* [thread / shared_by] */
    uint32_t cache_count, shared_by;
    struct ft_cache *cache; /* of the thread at hand */
    uint64_t ways;
    uint64_t *misses; /* [reference] */
    struct ft_epochs epochs;
    bool failed;
};

/* Touches the blocks of one access, low to high; the number of misses. */
static uint64_t touch(struct job *job, const struct ft_epoch_entry *entry, uint64_t address)
{
    unsigned shift = job->epochs.block_shift;
    uint64_t misses = 0;
    for (uint64_t i = ft_blocks_covered(shift, address, entry->size_bytes); i > 0; i--) {
        misses += ft_cache_touch(job->cache, address >> shift);
        address += UINT64_C(1) << shift;
    }
    job->misses[entry->reference] += misses;
    return misses;
}

static uint64_t touch_body(struct job *job, const struct ft_run_source *source,
                           const struct ft_run_batch *batch, const struct ft_run *run,
                           uint64_t iteration)
{
    uint64_t misses = 0;
    for (uint32_t j = 0; j < run->reference_count; j++) {
        struct ft_epoch_entry entry = ft_epoch_entry(source, batch, run->first + j);
        misses += touch(job, &entry, entry.address + iteration * (uint64_t)entry.stride);
    }
    return misses;
}

static void simulate_run(struct job *job, const struct ft_run_source *source,
                         const struct ft_run_batch *batch, const struct ft_run *run)
{
    if (run->iteration_count == 1) { /* strides mean nothing */
        touch_body(job, source, batch, run, 0);
        return;
    }
    if (!ft_epochs_start(&job->epochs, run)) {
        job->failed = true;
        return;
    }
    for (uint64_t iteration = 0; iteration < run->iteration_count;) {
        uint64_t blocks, end = ft_epochs_end(&job->epochs, source, batch, run, iteration, &blocks);
        uint64_t misses;
        do
            misses = touch_body(job, source, batch, run, iteration++);
        while (misses > 0 && blocks > job->ways && iteration < end);
        iteration = end;
    }
}

static void simulate_batch(struct job *job, const struct ft_run_source *source,
                           const struct ft_run_batch *batch)
{
    job->cache = job->caches[batch->thread / job->shared_by];
    for (size_t r = 0; r < batch->run_count; r++)
        simulate_run(job, source, batch, &batch->runs[r]);
}

/* Gives every batch to all jobs until the source ends. */
static int simulate_batches(struct job *jobs, int job_count, struct ft_run_source *source,
                            struct ft_progress *progress, uint64_t *accesses, struct ft_diag *diag)
{
    uint64_t done = 0;
    for (;;) {
        struct ft_run_batch batch;
        int status = source->next(source, &batch, diag);
        if (status != FT_OK || batch.run_count == 0)
            return status;
        status = ft_run_batch_check(source, &batch, diag);
        if (status != FT_OK)
            return status;
        done += ft_run_batch_count(&batch, accesses);
#pragma omp parallel for schedule(dynamic)
        for (int i = 0; i < job_count; i++)
            simulate_batch(&jobs[i], source, &batch);
        for (int i = 0; i < job_count; i++)
            if (jobs[i].failed)
                return ft_fail_memory(diag, "the simulation");
        ft_progress_update(progress, done, source->access_count, "accesses");
    }
}

/* ---- jobs ---- */

static int create_job(const struct ft_level *level, uint64_t ways, uint32_t thread_count,
                      uint64_t *misses, struct job *job, struct ft_diag *diag)
{
    uint32_t shared_by = level->shared_by;
    uint32_t cache_count = thread_count / shared_by + (thread_count % shared_by > 0);
    *job = (struct job){
        .caches = calloc(cache_count, sizeof(struct ft_cache *)),
        .cache_count = cache_count,
        .shared_by = shared_by,
        .epochs = {.block_shift = (unsigned)__builtin_ctzll(level->block_bytes)},
        .ways = ways,
        .misses = misses,
    };
    int status = job->caches ? FT_OK : ft_fail_memory(diag, "a cache");
    for (uint32_t i = 0; status == FT_OK && i < cache_count; i++)
        status = ft_cache_create(level->blocks, ways, &job->caches[i], diag);
    return status;
}

static void destroy_jobs(struct job *jobs, int job_count)
{
    for (int i = 0; i < job_count; i++) {
        for (uint32_t c = 0; jobs[i].caches && c < jobs[i].cache_count; c++)
            ft_cache_destroy(jobs[i].caches[c]);
        free(jobs[i].caches);
        ft_epochs_fini(&jobs[i].epochs);
    }
    free(jobs);
}

/* Two jobs a level, one where both would be the same. */
static int create_jobs(const struct ft_machine *machine, uint32_t thread_count,
                       struct ft_simulation *simulation, struct job *jobs, int *job_count,
                       struct ft_diag *diag)
{
    int status = FT_OK;
    for (size_t i = 0; i < machine->level_count; i++) {
        const struct ft_level *level = &machine->levels[i];
        size_t row = i * simulation->reference_count;
        status =
            create_job(level, level->blocks, thread_count,
                       simulation->fully_associative_misses + row, &jobs[(*job_count)++], diag);
        if (status == FT_OK && level->ways != level->blocks)
            status =
                create_job(level, level->ways, thread_count,
                           simulation->set_associative_misses + row, &jobs[(*job_count)++], diag);
        if (status != FT_OK)
            return status;
    }
    return FT_OK;
}

static void copy_full_levels(const struct ft_machine *machine, struct ft_simulation *simulation)
{
    for (size_t i = 0; i < machine->level_count; i++)
        if (machine->levels[i].ways == machine->levels[i].blocks)
            for (uint32_t j = 0; j < simulation->reference_count; j++) {
                size_t place = i * simulation->reference_count + j;
                simulation->set_associative_misses[place] =
                    simulation->fully_associative_misses[place];
            }
}

int ft_simulate(const struct ft_machine *machine, uint32_t thread_count,
                struct ft_run_source *source, struct ft_progress *progress,
                struct ft_simulation *ret_simulation, struct ft_diag *diag)
{
    size_t references = source->reference_count ? source->reference_count : 1;
    struct ft_simulation simulation = {
        .level_count = machine->level_count,
        .reference_count = source->reference_count,
        .accesses = calloc(references, sizeof(uint64_t)),
        .set_associative_misses = calloc(machine->level_count * references, sizeof(uint64_t)),
        .fully_associative_misses = calloc(machine->level_count * references, sizeof(uint64_t)),
    };
    struct job *jobs = calloc(2 * machine->level_count, sizeof *jobs);
    int job_count = 0, status = FT_OK;
    if (!simulation.accesses || !simulation.set_associative_misses ||
        !simulation.fully_associative_misses || !jobs)
        status = ft_fail_memory(diag, "the simulation");
    if (status == FT_OK)
        status = create_jobs(machine, thread_count, &simulation, jobs, &job_count, diag);
    if (status == FT_OK)
        status = simulate_batches(jobs, job_count, source, progress, simulation.accesses, diag);
    destroy_jobs(jobs, job_count);
    if (status != FT_OK) {
        ft_simulation_fini(&simulation);
        return status;
    }
    copy_full_levels(machine, &simulation);
    *ret_simulation = simulation;
    return FT_OK;
}

void ft_simulation_fini(struct ft_simulation *simulation)
{
    free(simulation->accesses);
    free(simulation->set_associative_misses);
    free(simulation->fully_associative_misses);
    *simulation = (struct ft_simulation){0};
}
