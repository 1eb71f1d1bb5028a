/*
 * A touch at distance d is looked up at a training size in two ways: among touches as far away in
 * as many sets, where d is well within the footprint there, so that what lies between two touches
 * may be as it is at the point; and among touches as far away relative to the footprint, in sets
 * that are as many relative to it. From a quarter to half of the footprint one passes into the
 * other. Larger training sizes count more, as their footprint.
 */
#include "predict/metrics/set_chances.h"

#include <math.h>
#include <stdlib.h>

#include "predict/metrics/miss_probability.h"

#define SET_BITS_MIN  3 /* fewer sets are those of no cache */
#define LARGEST_SIZES 3 /* whose chances are the ends of what is possible */
#define STEPS_AROUND  2 /* where a step has no samples */
#define NEAR_SHARE    0.25
#define FAR_SHARE     0.5

struct ft_set_chances ft_random_chances(uint64_t blocks, uint64_t ways, double scale)
{
    const uint64_t set_count = blocks / ways;
    const double sets = set_count > 1 ? scale * (double)set_count : 1;
    return (struct ft_set_chances){.blocks = scale * (double)blocks,
                                   .sets = sets,
                                   .set_bits = log2(sets),
                                   .ways = set_count > 1 ? (double)ways : scale * (double)ways};
}

/* Steps of which no touches were sampled take the share of the nearest one that has some. */
static void fill_gaps(double *shares, const double *touches)
{
    for (int step = 0; step < (int)FT_SET_STEPS; step++)
        for (int away = 1; away <= STEPS_AROUND && isnan(shares[step]); away++) {
            const int above = step + away, below = step - away;
            if (above < (int)FT_SET_STEPS && touches[above] > 0)
                shares[step] = shares[above];
            else if (below >= 0 && touches[below] > 0)
                shares[step] = shares[below];
        }
}

static void fill_shares(struct ft_set_sample *sample, const struct ft_set_distances *distances,
                        size_t size, double ways)
{
    double touches[FT_SET_STEPS] = {0};
    for (size_t r = 0; r <= FT_SET_BITS_MAX; r++)
        for (size_t step = 0; step < FT_SET_STEPS; step++)
            sample->shares[r][step] = 0;
    for (size_t i = 0; i < distances->count; i++) {
        const struct ft_set_distance *row = &distances->rows[i];
        if (row->size != size)
            continue;
        if (row->set_bits == 0)
            touches[row->step] = row->touches;
        else if (row->in_set >= ways)
            sample->shares[row->set_bits][row->step] += row->touches;
    }
    for (size_t r = 0; r <= FT_SET_BITS_MAX; r++) {
        double *shares = sample->shares[r];
        for (size_t step = 0; step < FT_SET_STEPS; step++)
            shares[step] = touches[step] > 0 ? fmin(shares[step] / touches[step], 1) : NAN;
        fill_gaps(shares, touches);
    }
}

/* Whether samples say something of such sets. */
static bool are_sampled(const struct ft_level *level)
{
    return ft_level_sets(level) > 1 && level->ways <= FT_SET_DISTANCE_MAX;
}

static bool is_left_out(const struct ft_model *model, size_t training)
{
    return training < FT_LEFT_OUT_MAX && (model->left_out >> training & 1);
}

static int by_blocks(const void *a, const void *b)
{
    const struct ft_set_sample *left = a, *right = b;
    return (left->blocks > right->blocks) - (left->blocks < right->blocks);
}

int ft_set_chances_init(struct ft_set_chances *chances, const struct ft_model *model,
                        const struct ft_level *level, double scale, const struct ft_point *at,
                        struct ft_diag *diag)
{
    const size_t size = ft_model_block_size(model, level->block_bytes);
    const double footprint = ft_function_at(&model->distinct_blocks[size], at);
    *chances = ft_random_chances(level->blocks, level->ways, scale);
    if (model->set_distance_count == 0 || !are_sampled(level) || !(footprint >= 1))
        return FT_OK;
    chances->samples = malloc(model->set_distance_count * sizeof *chances->samples);
    if (!chances->samples)
        return ft_fail_memory(diag, "the sets of a cache");
    for (size_t i = 0; i < model->set_distance_count; i++) {
        const struct ft_model_set_distances *from = &model->set_distances[i];
        struct ft_set_sample *sample = &chances->samples[chances->sample_count];
        if (is_left_out(model, from->training) || from->blocks[size] == 0)
            continue;
        sample->blocks = (double)from->blocks[size];
        fill_shares(sample, from->distances, size, chances->ways);
        chances->sample_count++;
    }
    if (chances->sample_count > 1)
        qsort(chances->samples, chances->sample_count, sizeof *chances->samples, by_blocks);
    ft_set_chances_move(chances, chances->sets, footprint);
    return FT_OK;
}

void ft_set_chances_move(struct ft_set_chances *chances, double sets, double footprint_blocks)
{
    chances->sets = sets;
    chances->set_bits = log2(sets);
    chances->blocks = sets * chances->ways;
    for (size_t i = 0; i < chances->sample_count; i++)
        chances->samples[i].set_bits = log2(sets * chances->samples[i].blocks / footprint_blocks);
}

int ft_set_chances_of_trace(struct ft_set_chances *chances, const struct ft_histograms *entry,
                            const struct ft_level *level, struct ft_diag *diag)
{
    const size_t size = ft_histograms_block_size(entry, level->block_bytes);
    *chances = ft_random_chances(level->blocks, level->ways, 1);
    if (!entry->set_distances || !are_sampled(level) || entry->distinct_blocks[size] == 0)
        return FT_OK;
    chances->samples = malloc(sizeof *chances->samples);
    if (!chances->samples)
        return ft_fail_memory(diag, "the sets of a cache");
    chances->samples->blocks = (double)entry->distinct_blocks[size];
    chances->samples->set_bits = log2(chances->sets);
    fill_shares(chances->samples, entry->set_distances, size, chances->ways);
    chances->sample_count = 1;
    return FT_OK;
}

void ft_set_chances_fini(struct ft_set_chances *chances)
{
    free(chances->samples);
    *chances = (struct ft_set_chances){0};
}

int ft_level_chances(const struct ft_model *model, const struct ft_machine *machine,
                     const double *scales, const struct ft_point *at,
                     struct ft_set_chances **ret_chances, struct ft_diag *diag)
{
    struct ft_set_chances *chances = calloc(machine->level_count + 1, sizeof *chances);
    int status = chances ? FT_OK : ft_fail_memory(diag, "the sets of caches");
    for (size_t i = 0; !status && i < machine->level_count; i++)
        status = ft_set_chances_init(&chances[i], model, &machine->levels[i],
                                     scales ? scales[i] : 1, at, diag);
    if (status)
        ft_level_chances_free(chances, machine->level_count);
    else
        *ret_chances = chances;
    return status;
}

void ft_level_chances_free(struct ft_set_chances *chances, size_t level_count)
{
    for (size_t i = 0; chances && i < level_count; i++)
        ft_set_chances_fini(&chances[i]);
    free(chances);
}

/* NAN where nothing was sampled nearby. */
static double share_at(const struct ft_set_sample *sample, size_t set_bits, double distance_blocks)
{
    if (distance_blocks < 1)
        return 0;
    const uint32_t step = ft_set_distance_step(distance_blocks);
    return step < FT_SET_STEPS ? sample->shares[set_bits][step] : NAN;
}

/* Of touches that are so many blocks a set away, between two powers of two. */
static double share_in(const struct ft_set_sample *sample, double set_bits, double blocks_per_set)
{
    const double lower = floor(set_bits), above = set_bits - lower;
    if (!(lower >= SET_BITS_MIN) || lower + (above > 0) > FT_SET_BITS_MAX)
        return NAN;
    const double sets = (double)(1U << (unsigned)lower);
    const double low = share_at(sample, (size_t)lower, sets * blocks_per_set);
    if (above == 0)
        return low;
    const double high = share_at(sample, (size_t)lower + 1, 2 * sets * blocks_per_set);
    return isnan(high) ? low : isnan(low) ? high : (1 - above) * low + above * high;
}

/* By the distance as a share of the footprint. */
static double weight_of_near(double share)
{
    if (share <= NEAR_SHARE)
        return 1;
    return share >= FAR_SHARE ? 0 : log2(FAR_SHARE / share) / log2(FAR_SHARE / NEAR_SHARE);
}

static double sampled_chance(const struct ft_set_chances *chances,
                             const struct ft_set_sample *sample, double distance_blocks)
{
    const double per_set = distance_blocks / chances->sets;
    const double near_weight = weight_of_near(distance_blocks / sample->blocks);
    const double near = near_weight > 0 ? share_in(sample, chances->set_bits, per_set) : NAN;
    const double far = near_weight < 1 ? share_in(sample, sample->set_bits, per_set) : NAN;
    return isnan(near) ? far : isnan(far) ? near : near_weight * near + (1 - near_weight) * far;
}

double ft_set_chance(const struct ft_set_chances *chances, double distance_blocks,
                     enum ft_set_spread spread)
{
    double sum = 0, weights = 0, low = 1, high = 0;
    if (distance_blocks < chances->ways)
        return 0;
    for (size_t i = 0; i < chances->sample_count; i++) {
        const double chance = sampled_chance(chances, &chances->samples[i], distance_blocks);
        if (isnan(chance))
            continue;
        sum += chances->samples[i].blocks * chance;
        weights += chances->samples[i].blocks;
        if (i + LARGEST_SIZES >= chances->sample_count) {
            low = fmin(low, chance);
            high = fmax(high, chance);
        }
    }
    if (weights == 0)
        return ft_miss_probability(chances->sets, chances->ways, distance_blocks);
    const double mean = sum / weights;
    return spread == FT_SET_SPREAD_BEST    ? fmin(low, mean)
           : spread == FT_SET_SPREAD_WORST ? fmax(high, mean)
                                           : mean;
}
