/*
 * At a sampled touch the list of all blocks by recency is walked from the newest to the block,
 * which gives its distances in the sets of all numbers of sets (recency_list.h). Touches of the
 * newest block hit everywhere, and first touches miss everywhere: both are counted.
 */
#include "engine/simulate/all-caches/sampled_occupancy.h"

#include <math.h>
#include <stdlib.h>

#include "engine/simulate/all-caches/recency_list.h"
#include "engine/simulate/all-caches/touch_sampling.h"
#include "engine/simulate/all-caches/weighted_touches.h"
#include "formats/base/array.h"

struct sampling {
    unsigned set_bits;
    struct ft_recency_list list;
    uint64_t last_block;
    uint64_t touches, cold;
    struct ft_touch_sampling moved; /* of blocks that were not the newest, without first touches */
    uint32_t *distances;            /* [sample * (set_bits + 1) + k] */
    uint64_t *weights;              /* [sample] */
    size_t count;                   /* of samples of a weight above 0 */
    size_t distance_limit, weight_limit;
};

/* ---- samples ---- */

static void thin(struct sampling *sampling)
{
    size_t width = sampling->set_bits + 1, kept = 0;
    ft_touch_sampling_thin(&sampling->moved);
    for (size_t i = 0; i < sampling->count; i++) {
        uint64_t weight = ft_touch_samples_keep(&sampling->moved, sampling->weights[i]);
        if (weight == 0)
            continue;
        sampling->weights[kept] = weight;
        for (size_t k = 0; k < width; k++)
            sampling->distances[kept * width + k] = sampling->distances[i * width + k];
        sampling->moved.samples += weight;
        kept++;
    }
    sampling->count = kept;
}

static int take_sample(struct sampling *sampling, uint64_t block, uint32_t link, uint64_t weight,
                       struct ft_diag *diag)
{
    size_t width = sampling->set_bits + 1;
    if (!FT_RESERVE(sampling->weights, sampling->weight_limit, sampling->count + 1) ||
        !FT_RESERVE(sampling->distances, sampling->distance_limit, (sampling->count + 1) * width))
        return ft_fail_memory(diag, "samples");
    ft_recency_list_distances(&sampling->list, block, link, sampling->set_bits,
                              sampling->distances + sampling->count * width);
    sampling->weights[sampling->count++] = weight;
    sampling->moved.samples += weight;
    while (ft_touch_samples_are_many(&sampling->moved))
        thin(sampling);
    return FT_OK;
}

static int touch_block(void *context, uint64_t block, uint64_t weight, struct ft_diag *diag)
{
    struct sampling *sampling = context;
    uint32_t link;
    bool is_new;
    sampling->touches += weight;
    if (block == sampling->last_block)
        return FT_OK;
    sampling->last_block = block;
    FT_TRY(ft_recency_list_find(&sampling->list, block, &link, &is_new, diag));
    if (is_new) {
        sampling->cold++;
    } else {
        uint64_t samples = ft_touch_samples_in(&sampling->moved, weight);
        if (samples)
            FT_TRY(take_sample(sampling, block, link, samples, diag));
    }
    ft_recency_list_touch(&sampling->list, link);
    return FT_OK;
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
        double share =
            (double)beyond / (double)(sampling->moved.samples ? sampling->moved.samples : 1);
        sets->by_ways[ways] =
            sampling->cold + (uint64_t)llround((double)sampling->moved.touches * share);
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
        .last_block = UINT64_MAX,
        .moved = ft_touch_sampling(samples, seed),
    };
    struct ft_all_caches caches = {.line_bytes = line_bytes, .set_bits = set_bits};
    ft_recency_list_init(&sampling.list, shift);
    status = ft_weighted_touches(source, shift, touch_block, &sampling, progress, &caches.accesses,
                                 diag);
    caches.touches = sampling.touches;
    caches.cold = sampling.cold;
    for (unsigned k = 0; status == FT_OK && k <= set_bits; k++)
        status = estimate(&sampling, k, &caches.sets[k], diag);
    ft_recency_list_fini(&sampling.list);
    free(sampling.distances);
    free(sampling.weights);
    if (status != FT_OK) {
        ft_all_caches_fini(&caches);
        return status;
    }
    *ret_caches = caches;
    return FT_OK;
}
