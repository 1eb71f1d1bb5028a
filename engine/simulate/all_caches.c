/*
 * A stack for each set of each number of sets (set_stacks.h). Where sets are split in two, a set's
 * blocks are some of those of the set that it came from, in the same order: so the distance falls
 * with the number of sets, and a block that is the newest of its set is so in all smaller sets,
 * where nothing has to be done. Most touches end at the first few numbers of sets that way.
 *
 * Runs are walked in epochs (epochs.h): in the second iteration of an epoch each touch finds its
 * block where the touches of one iteration have left it, and so do all later ones. The second
 * counts for them, and the order is then as after the last.
 */
#include "engine/simulate/all_caches.h"

#include <stdlib.h>

#include "engine/replay/dense_ids.h"
#include "engine/simulate/epochs.h"
#include "engine/simulate/set_stacks.h"
#include "formats/base/array.h"

#define REGION_SHIFT 21 /* 2 MiB: blocks in it have neighbouring numbers */
#define NO_REGION    UINT64_MAX

struct histogram { /* of distances in the sets of one number of sets */
    uint64_t *counts;
    size_t capacity, count;
};

struct simulation {
    struct ft_run_source *source;
    struct ft_epochs epochs;
    unsigned set_bits;
    struct ft_set_stacks *stacks[FT_ALL_CACHES_SET_BITS_MAX + 1];
    struct histogram histograms[FT_ALL_CACHES_SET_BITS_MAX + 1];
    uint64_t newest_from[FT_ALL_CACHES_SET_BITS_MAX + 1]; /* distance 0 from this number of sets */
    struct ft_dense_ids regions;
    uint64_t last_region; /* and its number */
    uint32_t last_region_id;
    uint64_t last_block; /* the newest of all */
    uint64_t accesses, touches, cold;
};

static int number_block(struct simulation *simulation, uint64_t block, uint32_t *ret_number,
                        struct ft_diag *diag)
{
    unsigned bits = REGION_SHIFT - simulation->epochs.block_shift;
    uint64_t region = block >> bits;
    if (region != simulation->last_region) {
        uint32_t known = simulation->regions.count;
        int status =
            ft_dense_ids_find(&simulation->regions, region, &simulation->last_region_id, diag);
        if (status == FT_OK && (uint64_t)simulation->regions.count << bits >= UINT32_MAX)
            status = ft_fail(diag, FT_ERROR_UNSUPPORTED,
                             "the program touches %u regions of 2 MiB, more than can be numbered "
                             "with lines of %llu bytes; larger lines can (option --line)",
                             simulation->regions.count, 1ULL << simulation->epochs.block_shift);
        for (unsigned k = 0;
             status == FT_OK && simulation->regions.count > known && k <= simulation->set_bits; k++)
            status = ft_set_stacks_reserve(simulation->stacks[k],
                                           (uint64_t)simulation->regions.count << bits, diag);
        if (status != FT_OK)
            return status;
        simulation->last_region = region;
    }
    *ret_number =
        (simulation->last_region_id << bits) | (uint32_t)(block & ((UINT64_C(1) << bits) - 1));
    return FT_OK;
}

static int count_distance(struct histogram *histogram, uint32_t distance, uint64_t weight,
                          struct ft_diag *diag)
{
    if (distance >= histogram->count) {
        size_t capacity = histogram->capacity;
        if (!FT_RESERVE(histogram->counts, histogram->capacity, (size_t)distance + 1))
            return ft_fail_memory(diag, "a histogram");
        for (; capacity < histogram->capacity; capacity++)
            histogram->counts[capacity] = 0;
        histogram->count = (size_t)distance + 1;
    }
    histogram->counts[distance] += weight;
    return FT_OK;
}

/* One touch that stands for `weight`. */
static int touch_block(struct simulation *simulation, uint64_t block, uint64_t weight,
                       struct ft_diag *diag)
{
    simulation->touches += weight;
    if (block == simulation->last_block) {
        simulation->newest_from[0] += weight;
        return FT_OK;
    }
    simulation->last_block = block;
    uint32_t number, distance = 0;
    int status = number_block(simulation, block, &number, diag);
    for (unsigned k = 0; status == FT_OK && k <= simulation->set_bits; k++) {
        uint64_t set = block & ((UINT64_C(1) << k) - 1);
        status = ft_set_stacks_touch(simulation->stacks[k], set, number, &distance, diag);
        if (status == FT_OK && distance == 0) {
            simulation->newest_from[k] += weight;
            return FT_OK;
        }
        if (status == FT_OK && distance != FT_STACK_COLD)
            status = count_distance(&simulation->histograms[k], distance, weight, diag);
    }
    simulation->cold += distance == FT_STACK_COLD;
    return status;
}

static int touch_body(struct simulation *simulation, const struct ft_run_batch *batch,
                      const struct ft_run *run, uint64_t iteration, uint64_t weight,
                      struct ft_diag *diag)
{
    unsigned shift = simulation->epochs.block_shift;
    int status = FT_OK;
    for (uint32_t j = 0; status == FT_OK && j < run->reference_count; j++) {
        struct ft_epoch_entry entry = ft_epoch_entry(simulation->source, batch, run->first + j);
        uint64_t address = entry.address + iteration * (uint64_t)entry.stride;
        uint64_t blocks = ft_blocks_covered(shift, address, entry.size_bytes);
        for (; status == FT_OK && blocks > 0; blocks--, address += UINT64_C(1) << shift)
            status = touch_block(simulation, address >> shift, weight, diag);
    }
    return status;
}

static int simulate_run(struct simulation *simulation, const struct ft_run_batch *batch,
                        const struct ft_run *run, struct ft_diag *diag)
{
    simulation->accesses += run->reference_count * run->iteration_count;
    if (run->iteration_count == 1) /* strides mean nothing */
        return touch_body(simulation, batch, run, 0, 1, diag);
    if (!ft_epochs_start(&simulation->epochs, run))
        return ft_fail_memory(diag, "the simulation");
    int status = FT_OK;
    for (uint64_t iteration = 0; status == FT_OK && iteration < run->iteration_count;) {
        uint64_t blocks;
        uint64_t end =
            ft_epochs_end(&simulation->epochs, simulation->source, batch, run, iteration, &blocks);
        status = touch_body(simulation, batch, run, iteration, 1, diag);
        uint64_t others = end - iteration - 1;
        if (status == FT_OK && others > 0)
            status = touch_body(simulation, batch, run, iteration + 1, others, diag);
        iteration = end;
    }
    return status;
}

static int simulate(struct simulation *simulation, struct ft_progress *progress,
                    struct ft_diag *diag)
{
    for (;;) {
        struct ft_run_batch batch;
        int status = simulation->source->next(simulation->source, &batch, diag);
        if (status != FT_OK || batch.run_count == 0)
            return status;
        status = ft_run_batch_check(simulation->source, &batch, diag);
        for (size_t r = 0; status == FT_OK && r < batch.run_count; r++)
            status = simulate_run(simulation, &batch, &batch.runs[r], diag);
        if (status != FT_OK)
            return status;
        if (progress)
            ft_progress_update(progress, simulation->accesses, simulation->source->access_count,
                               "accesses");
    }
}

/* From how many touches there are of each distance to how many miss with so many ways. */
static int sum_up(const struct simulation *simulation, struct ft_all_caches *caches,
                  struct ft_diag *diag)
{
    uint64_t newest = 0;
    caches->accesses = simulation->accesses;
    caches->touches = simulation->touches;
    caches->cold = simulation->cold;
    for (unsigned k = 0; k <= caches->set_bits; k++) {
        const struct histogram *histogram = &simulation->histograms[k];
        struct ft_set_misses *sets = &caches->sets[k];
        sets->count = histogram->count > 1 ? histogram->count : 1;
        sets->by_ways = malloc(sets->count * sizeof *sets->by_ways);
        if (!sets->by_ways)
            return ft_fail_memory(diag, "the misses of a number of sets");
        newest += simulation->newest_from[k];
        uint64_t misses = caches->cold;
        for (size_t ways = sets->count - 1; ways > 0; ways--)
            sets->by_ways[ways] = misses += histogram->counts[ways];
        sets->by_ways[0] = misses + newest;
    }
    return FT_OK;
}

static void fini(struct simulation *simulation)
{
    for (unsigned k = 0; k <= simulation->set_bits; k++) {
        ft_set_stacks_destroy(simulation->stacks[k]);
        free(simulation->histograms[k].counts);
    }
    ft_dense_ids_fini(&simulation->regions);
    ft_epochs_fini(&simulation->epochs);
}

int ft_all_caches_simulate(uint64_t line_bytes, unsigned set_bits, struct ft_run_source *source,
                           struct ft_progress *progress, struct ft_all_caches *ret_caches,
                           struct ft_diag *diag)
{
    if (line_bytes < 2 || line_bytes > FT_ALL_CACHES_LINE_MAX || line_bytes & (line_bytes - 1) ||
        set_bits > FT_ALL_CACHES_SET_BITS_MAX)
        return ft_fail(diag, FT_ERROR_UNSUPPORTED,
                       "caches with lines of %llu bytes in 2^%u sets cannot be simulated: lines "
                       "are powers of two from 2 to 2M, sets up to 2^%d",
                       (unsigned long long)line_bytes, set_bits, FT_ALL_CACHES_SET_BITS_MAX);
    struct simulation simulation = {
        .source = source,
        .epochs = {.block_shift = (unsigned)__builtin_ctzll(line_bytes)},
        .set_bits = set_bits,
        .last_region = NO_REGION,
        .last_block = UINT64_MAX,
    };
    struct ft_all_caches caches = {.line_bytes = line_bytes, .set_bits = set_bits};
    int status = FT_OK;
    for (unsigned k = 0; status == FT_OK && k <= set_bits; k++)
        status = ft_set_stacks_create(k, REGION_SHIFT - simulation.epochs.block_shift,
                                      &simulation.stacks[k], diag);
    if (status == FT_OK)
        status = simulate(&simulation, progress, diag);
    if (status == FT_OK)
        status = sum_up(&simulation, &caches, diag);
    fini(&simulation);
    if (status != FT_OK) {
        ft_all_caches_fini(&caches);
        return status;
    }
    *ret_caches = caches;
    return FT_OK;
}

void ft_all_caches_fini(struct ft_all_caches *caches)
{
    for (unsigned k = 0; k <= caches->set_bits; k++)
        free(caches->sets[k].by_ways);
    *caches = (struct ft_all_caches){0};
}
