/*
 * A stack for each set of each number of sets (set_stacks.h). Where sets are split in two, a set's
 * blocks are some of those of the set that it came from, in the same order: so the distance falls
 * with the number of sets, and a block that is the newest of its set is so in all smaller sets,
 * where nothing has to be done. Most touches end at the first few numbers of sets that way.
 */
#include "engine/simulate/all-caches/all_caches.h"

#include <stdlib.h>

#include "engine/simulate/all-caches/block_numbers.h"
#include "engine/simulate/all-caches/set_stacks.h"
#include "engine/simulate/all-caches/weighted_touches.h"
#include "formats/base/array.h"

struct histogram { /* of distances in the sets of one number of sets */
    uint64_t *counts;
    size_t capacity, count;
};

struct simulation {
    unsigned set_bits;
    struct ft_set_stacks *stacks[FT_ALL_CACHES_SET_BITS_MAX + 1];
    struct histogram histograms[FT_ALL_CACHES_SET_BITS_MAX + 1];
    uint64_t newest_from[FT_ALL_CACHES_SET_BITS_MAX + 1]; /* distance 0 from this number of sets */
    struct ft_block_numbers numbers;
    uint64_t last_block; /* the newest of all */
    uint64_t accesses, touches, cold;
};

/* The number of a block; makes room for new ones. */
static int number_block(struct simulation *simulation, uint64_t block, uint32_t *ret_number,
                        struct ft_diag *diag)
{
    uint64_t known = ft_block_numbers_end(&simulation->numbers);
    int status = ft_block_numbers_find(&simulation->numbers, block, ret_number, diag);
    uint64_t end = ft_block_numbers_end(&simulation->numbers);
    for (unsigned k = 0; status == FT_OK && end > known && k <= simulation->set_bits; k++)
        status = ft_set_stacks_reserve(simulation->stacks[k], end, diag);
    return status;
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
static int touch_block(void *context, uint64_t block, uint64_t weight, struct ft_diag *diag)
{
    struct simulation *simulation = context;
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
    ft_block_numbers_fini(&simulation->numbers);
}

int ft_all_caches_check(uint64_t line_bytes, unsigned set_bits, struct ft_diag *diag)
{
    if (line_bytes >= 2 && line_bytes <= FT_ALL_CACHES_LINE_MAX &&
        (line_bytes & (line_bytes - 1)) == 0 && set_bits <= FT_ALL_CACHES_SET_BITS_MAX)
        return FT_OK;
    return ft_fail(diag, FT_ERROR_UNSUPPORTED,
                   "caches with lines of %llu bytes in 2^%u sets cannot be simulated: lines are "
                   "powers of two from 2 to 2M, sets up to 2^%d",
                   (unsigned long long)line_bytes, set_bits, FT_ALL_CACHES_SET_BITS_MAX);
}

int ft_all_caches_simulate(uint64_t line_bytes, unsigned set_bits, struct ft_run_source *source,
                           struct ft_progress *progress, struct ft_all_caches *ret_caches,
                           struct ft_diag *diag)
{
    int status = ft_all_caches_check(line_bytes, set_bits, diag);
    if (status != FT_OK)
        return status;
    const unsigned shift = (unsigned)__builtin_ctzll(line_bytes);
    struct simulation simulation = {.set_bits = set_bits, .last_block = UINT64_MAX};
    struct ft_all_caches caches = {.line_bytes = line_bytes, .set_bits = set_bits};
    ft_block_numbers_init(&simulation.numbers, shift);
    for (unsigned k = 0; status == FT_OK && k <= set_bits; k++)
        status = ft_set_stacks_create(k, simulation.numbers.bits, &simulation.stacks[k], diag);
    if (status == FT_OK)
        status = ft_weighted_touches(source, shift, touch_block, &simulation, progress,
                                     &simulation.accesses, diag);
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
