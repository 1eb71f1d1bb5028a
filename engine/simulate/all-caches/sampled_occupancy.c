/*
 * All blocks stand in one list by recency. At a sampled touch the list is walked from the newest to
 * the block: each block on the way shares the low r bits with it, so it is in the same set of 2^k
 * sets for all k up to r; their numbers by r give the distances in the sets of all numbers of sets.
 *
 * Touches of the newest block hit everywhere, and first touches miss everywhere: both are counted.
 * The others are sampled at random distances. When twice the samples asked for are there, each is
 * kept with probability 1/2, and from then on half as many are taken: so in the end each touch was
 * as likely to be kept as any other.
 */
#include "engine/simulate/all-caches/sampled_occupancy.h"

#include <math.h>
#include <stdlib.h>

#include "engine/simulate/all-caches/block_numbers.h"
#include "engine/simulate/all-caches/weighted_touches.h"
#include "formats/base/array.h"
#include "formats/base/splitmix.h"
#include "formats/base/zero_array.h"

#define LIST_END UINT32_MAX

struct links { /* number + 1 of a neighbour, or LIST_END; 0: not in the list */
    uint32_t newer, older;
};

struct sampling {
    unsigned set_bits;
    struct ft_block_numbers numbers;
    struct ft_zero_array links;
    uint32_t newest; /* number + 1, or LIST_END */
    uint64_t last_block;
    uint64_t touches, cold;
    uint64_t moved; /* touches of blocks that were not the newest, without first ones */
    uint64_t random;
    uint64_t interval;        /* mean number of such touches from sample to sample */
    uint64_t next;            /* the one that is sampled next */
    uint64_t samples, wanted; /* kept, with their weights */
    uint32_t *distances;      /* [sample * (set_bits + 1) + k] */
    uint64_t *weights;        /* [sample] */
    size_t count;             /* of samples of a weight above 0 */
    size_t distance_limit, weight_limit;
};

static struct links *links_of(struct sampling *sampling, uint32_t link)
{
    return (struct links *)sampling->links.items + (link - 1);
}

static void unlink_block(struct sampling *sampling, struct links *links)
{
    if (links->newer == LIST_END)
        sampling->newest = links->older;
    else
        links_of(sampling, links->newer)->older = links->older;
    if (links->older != LIST_END)
        links_of(sampling, links->older)->newer = links->newer;
}

static void push_newest(struct sampling *sampling, uint32_t link)
{
    *links_of(sampling, link) = (struct links){.newer = LIST_END, .older = sampling->newest};
    if (sampling->newest != LIST_END)
        links_of(sampling, sampling->newest)->newer = link;
    sampling->newest = link;
}

/* ---- samples ---- */

static uint64_t keep_half(struct sampling *sampling, uint64_t weight)
{
    uint64_t kept = 0;
    for (; weight >= 64; weight -= 64)
        kept += (uint64_t)__builtin_popcountll(ft_splitmix(&sampling->random));
    uint64_t mask = (UINT64_C(1) << weight) - 1;
    return kept + (uint64_t)__builtin_popcountll(ft_splitmix(&sampling->random) & mask);
}

static void thin(struct sampling *sampling)
{
    size_t width = sampling->set_bits + 1, kept = 0;
    sampling->samples = 0;
    for (size_t i = 0; i < sampling->count; i++) {
        uint64_t weight = keep_half(sampling, sampling->weights[i]);
        if (weight == 0)
            continue;
        sampling->weights[kept] = weight;
        for (size_t k = 0; k < width; k++)
            sampling->distances[kept * width + k] = sampling->distances[i * width + k];
        sampling->samples += weight;
        kept++;
    }
    sampling->count = kept;
    sampling->interval *= 2;
}

/* Counts blocks newer than one by how many low bits they share with it, and sums them up. */
static void measure(struct sampling *sampling, uint64_t block, uint32_t link, uint32_t *distances)
{
    unsigned most = sampling->set_bits;
    for (unsigned k = 0; k <= most; k++)
        distances[k] = 0;
    for (uint32_t other = sampling->newest; other != link;) {
        uint64_t differing = ft_block_of_number(&sampling->numbers, other - 1) ^ block;
        unsigned shared = (unsigned)__builtin_ctzll(differing);
        distances[shared < most ? shared : most]++;
        other = links_of(sampling, other)->older;
    }
    for (unsigned k = most; k-- > 0;)
        distances[k] += distances[k + 1];
}

static int take_sample(struct sampling *sampling, uint64_t block, uint32_t link, uint64_t weight,
                       struct ft_diag *diag)
{
    size_t width = sampling->set_bits + 1;
    if (!FT_RESERVE(sampling->weights, sampling->weight_limit, sampling->count + 1) ||
        !FT_RESERVE(sampling->distances, sampling->distance_limit, (sampling->count + 1) * width))
        return ft_fail_memory(diag, "samples");
    measure(sampling, block, link, sampling->distances + sampling->count * width);
    sampling->weights[sampling->count++] = weight;
    sampling->samples += weight;
    while (sampling->samples >= 2 * sampling->wanted)
        thin(sampling);
    return FT_OK;
}

/* How many samples fall on the next `weight` touches. */
static uint64_t samples_in(struct sampling *sampling, uint64_t weight)
{
    uint64_t samples = 0, end = sampling->moved + weight;
    while (sampling->next < end) {
        uint64_t spread = 2 * sampling->interval - 1;
        samples++;
        sampling->next += 1 + ft_splitmix(&sampling->random) % spread;
    }
    sampling->moved = end;
    return samples;
}

static int touch_block(void *context, uint64_t block, uint64_t weight, struct ft_diag *diag)
{
    struct sampling *sampling = context;
    sampling->touches += weight;
    if (block == sampling->last_block)
        return FT_OK;
    sampling->last_block = block;
    uint32_t number;
    int status = ft_block_numbers_find(&sampling->numbers, block, &number, diag);
    if (status == FT_OK)
        status = ft_zero_array_reserve(
            &sampling->links, ft_block_numbers_end(&sampling->numbers) * sizeof(struct links),
            diag);
    if (status != FT_OK)
        return status;
    struct links *links = links_of(sampling, number + 1);
    if (links->newer == 0) {
        sampling->cold++;
    } else {
        uint64_t samples = samples_in(sampling, weight);
        if (samples)
            status = take_sample(sampling, block, number + 1, samples, diag);
        unlink_block(sampling, links);
    }
    push_newest(sampling, number + 1);
    return status;
}

/* ---- the estimate ---- */

static int estimate(const struct sampling *sampling, unsigned k, struct ft_set_misses *sets,
                    struct ft_diag *diag)
{
    size_t width = sampling->set_bits + 1;
    uint32_t most = 0;
    for (size_t i = 0; i < sampling->count; i++)
        if (sampling->distances[i * width + k] > most)
            most = sampling->distances[i * width + k];
    sets->count = (size_t)most + 1;
    sets->by_ways = calloc(sets->count, sizeof *sets->by_ways);
    if (!sets->by_ways)
        return ft_fail_memory(diag, "the misses of a number of sets");
    for (size_t i = 0; i < sampling->count; i++)
        sets->by_ways[sampling->distances[i * width + k]] += sampling->weights[i];
    uint64_t beyond = 0;
    for (size_t ways = sets->count; ways-- > 0;) {
        beyond += sets->by_ways[ways];
        double share = (double)beyond / (double)(sampling->samples ? sampling->samples : 1);
        sets->by_ways[ways] = sampling->cold + (uint64_t)llround((double)sampling->moved * share);
    }
    sets->by_ways[0] = sampling->touches;
    return FT_OK;
}

int ft_sampled_occupancy(uint64_t line_bytes, unsigned set_bits, uint64_t samples, uint64_t seed,
                         struct ft_run_source *source, struct ft_progress *progress,
                         struct ft_all_caches *ret_caches, struct ft_diag *diag)
{
    int status = ft_all_caches_check(line_bytes, set_bits, diag);
    if (status != FT_OK)
        return status;
    const unsigned shift = (unsigned)__builtin_ctzll(line_bytes);
    struct sampling sampling = {
        .set_bits = set_bits,
        .newest = LIST_END,
        .last_block = UINT64_MAX,
        .random = seed,
        .interval = 1,
        .wanted = samples,
    };
    struct ft_all_caches caches = {.line_bytes = line_bytes, .set_bits = set_bits};
    ft_block_numbers_init(&sampling.numbers, shift);
    status = ft_weighted_touches(source, shift, touch_block, &sampling, progress, &caches.accesses,
                                 diag);
    caches.touches = sampling.touches;
    caches.cold = sampling.cold;
    for (unsigned k = 0; status == FT_OK && k <= set_bits; k++)
        status = estimate(&sampling, k, &caches.sets[k], diag);
    ft_block_numbers_fini(&sampling.numbers);
    ft_zero_array_fini(&sampling.links);
    free(sampling.distances);
    free(sampling.weights);
    if (status != FT_OK) {
        ft_all_caches_fini(&caches);
        return status;
    }
    *ret_caches = caches;
    return FT_OK;
}
