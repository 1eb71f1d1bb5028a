/*
 * 1. Touches of blocks that were touched before, other than of the newest one, fall into octaves by
 *    the number of such touches since then, which is at least their distance.
 * 2. Of each octave a random sample is measured on the list of all blocks by recency; its first
 *    touch always, so that no octave is left out.
 * 3. A sample stands for its octave's touches, shared among its samples.
 */
#include "engine/simulate/all-caches/sampled_sets.h"

#include <stdlib.h>

#include "engine/simulate/all-caches/recency_list.h"
#include "engine/simulate/all-caches/touch_sampling.h"
#include "engine/simulate/all-caches/weighted_touches.h"
#include "formats/base/array.h"

#define OCTAVES     64U
#define SAMPLES_MAX 512U
#define SAMPLES_MIN 64U
#define WALK_BLOCKS (UINT64_C(1) << 21) /* for the samples of an octave, about */
#define DISTANCES   (FT_SET_BITS_MAX + 1)
/* Beyond, one touch in 2, 4, 8 ... is sampled from the start: where those of an octave are far
 * fewer than what lies between two of them they matter little, and walks are long. */
#define EVERY_OCTAVE 9

struct sample {
    uint64_t weight;
    uint32_t distances[DISTANCES];
};

struct octave {
    struct ft_touch_sampling sampling;
    struct sample *samples;
    size_t count, limit;
};

struct sampler {
    struct ft_recency_list list;
    struct ft_zero_array last_times; /* uint64_t [link]: of the last touch, from 1 on */
    uint64_t time, last_block;
    struct octave octaves[OCTAVES];
};

static void thin(struct octave *octave)
{
    size_t kept = 0;
    ft_touch_sampling_thin(&octave->sampling);
    for (size_t i = 0; i < octave->count; i++) {
        const uint64_t weight = ft_touch_samples_keep(&octave->sampling, octave->samples[i].weight);
        if (weight == 0)
            continue;
        octave->samples[kept] = octave->samples[i];
        octave->samples[kept++].weight = weight;
        octave->sampling.samples += weight;
    }
    octave->count = kept;
}

static int sample_touch(struct sampler *sampler, struct octave *octave, uint64_t block,
                        uint32_t link, uint64_t weight, struct ft_diag *diag)
{
    const uint64_t samples = ft_touch_samples_in(&octave->sampling, weight);
    if (samples == 0)
        return FT_OK;
    if (!FT_RESERVE(octave->samples, octave->limit, octave->count + 1))
        return ft_fail_memory(diag, "samples");
    struct sample *sample = &octave->samples[octave->count++];
    sample->weight = samples;
    ft_recency_list_distances(&sampler->list, block, link, FT_SET_BITS_MAX, sample->distances);
    octave->sampling.samples += samples;
    while (ft_touch_samples_are_many(&octave->sampling))
        thin(octave);
    return FT_OK;
}

static int touch_block(void *context, uint64_t block, uint64_t weight, struct ft_diag *diag)
{
    struct sampler *sampler = context;
    uint32_t link;
    bool is_new;
    if (block == sampler->last_block)
        return FT_OK;
    sampler->last_block = block;
    FT_TRY(ft_recency_list_find(&sampler->list, block, &link, &is_new, diag));
    FT_TRY(ft_zero_array_reserve(
        &sampler->last_times, (ft_block_numbers_end(&sampler->list.numbers) + 1) * sizeof(uint64_t),
        diag));
    uint64_t *last_time = (uint64_t *)sampler->last_times.items + link;
    if (!is_new) {
        const unsigned octave = 63U - (unsigned)__builtin_clzll(sampler->time - *last_time + 1);
        FT_TRY(sample_touch(sampler, &sampler->octaves[octave], block, link, weight, diag));
    }
    ft_recency_list_touch(&sampler->list, link);
    *last_time = ++sampler->time;
    return FT_OK;
}

/* ---- the rows ---- */

static bool add_row(struct ft_set_distances *distances, size_t *limit,
                    const struct ft_set_distance *row)
{
    if (!FT_RESERVE(distances->rows, *limit, distances->count + 1))
        return false;
    distances->rows[distances->count++] = *row;
    return true;
}

static int add_octave(const struct octave *octave, uint32_t size,
                      struct ft_set_distances *distances, size_t *limit, struct ft_diag *diag)
{
    bool is_done = true;
    for (size_t i = 0; is_done && i < octave->count; i++) {
        const struct sample *sample = &octave->samples[i];
        struct ft_set_distance row = {
            .size = size,
            .step = ft_set_distance_step(sample->distances[0]),
            .touches = (double)octave->sampling.touches * (double)sample->weight /
                       (double)octave->sampling.samples,
        };
        is_done = add_row(distances, limit, &row);
        for (row.set_bits = 1; is_done && row.set_bits < DISTANCES; row.set_bits++) {
            const uint32_t in_set = sample->distances[row.set_bits];
            row.in_set = in_set < FT_SET_DISTANCE_MAX ? in_set : FT_SET_DISTANCE_MAX;
            if (in_set > 0)
                is_done = add_row(distances, limit, &row);
        }
    }
    return is_done ? FT_OK : ft_fail_memory(diag, "distances within sets");
}

static struct ft_touch_sampling sampling_of(unsigned octave)
{
    const uint64_t affordable = octave < 21 ? WALK_BLOCKS >> octave : 0;
    struct ft_touch_sampling sampling = ft_touch_sampling(affordable > SAMPLES_MAX   ? SAMPLES_MAX
                                                          : affordable < SAMPLES_MIN ? SAMPLES_MIN
                                                                                     : affordable,
                                                          octave);
    if (octave > EVERY_OCTAVE)
        sampling.interval = UINT64_C(1) << (octave - EVERY_OCTAVE);
    return sampling;
}

int ft_sampled_sets(uint32_t size, uint64_t block_bytes, struct ft_run_source *source,
                    struct ft_progress *progress, struct ft_set_distances *distances,
                    struct ft_diag *diag)
{
    const unsigned shift = (unsigned)__builtin_ctzll(block_bytes);
    struct sampler *sampler = calloc(1, sizeof *sampler);
    uint64_t accesses;
    size_t limit = distances->count;
    if (!sampler)
        return ft_fail_memory(diag, "samples");
    sampler->last_block = UINT64_MAX;
    ft_recency_list_init(&sampler->list, shift);
    for (unsigned i = 0; i < OCTAVES; i++)
        sampler->octaves[i].sampling = sampling_of(i);
    int status =
        ft_weighted_touches(source, shift, touch_block, sampler, progress, &accesses, diag);
    for (unsigned i = 0; i < OCTAVES; i++) {
        if (!status)
            status = add_octave(&sampler->octaves[i], size, distances, &limit, diag);
        free(sampler->octaves[i].samples);
    }
    ft_recency_list_fini(&sampler->list);
    ft_zero_array_fini(&sampler->last_times);
    free(sampler);
    return status;
}
