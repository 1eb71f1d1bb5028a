/*
 * photons [BINS [PHOTONS]]: photons through a slab of three layers by Monte Carlo: energies and
 * angles are drawn from a table of the source by Walker's alias method (1977), cross sections
 * looked up in BINS bins of energy, and deposits scored in as many.
 */
#include <math.h>

#include "tests/bench/unseen/code.h"

enum { LAYERS = 3 };

struct bin {
    double attenuation[LAYERS], absorbed;
};

struct source {
    double *threshold;
    uint32_t *alias;
};

/* A spectrum with a peak in the middle. */
static struct source create_source(size_t bins)
{
    struct source source = {code_malloc(bins, sizeof(double)), code_malloc(bins, sizeof(uint32_t))};
    uint32_t *low = code_malloc(bins, sizeof *low), *high = code_malloc(bins, sizeof *high);
    size_t lows = 0, highs = 0;
    double sum = 0;
    for (size_t i = 0; i < bins; i++) {
        double x = (double)i / (double)bins - 0.5;
        sum += source.threshold[i] = 0.1 + exp(-20 * x * x);
    }
    for (size_t i = 0; i < bins; i++) {
        source.threshold[i] *= (double)bins / sum;
        source.alias[i] = (uint32_t)i;
        if (source.threshold[i] < 1)
            low[lows++] = (uint32_t)i;
        else
            high[highs++] = (uint32_t)i;
    }
    while (lows > 0 && highs > 0) {
        uint32_t poor = low[--lows], rich = high[highs - 1];
        source.alias[poor] = rich;
        source.threshold[rich] -= 1 - source.threshold[poor];
        if (source.threshold[rich] < 1) {
            highs--;
            low[lows++] = rich;
        }
    }
    free(low);
    free(high);
    return source;
}

static struct bin *create_bins(size_t count, uint64_t *random)
{
    struct bin *bins = code_malloc(count, sizeof *bins);
    for (size_t i = 0; i < count; i++) {
        double energy = 0.05 + (double)i / (double)count;
        for (int k = 0; k < LAYERS; k++)
            bins[i].attenuation[k] = (1 + 0.2 * code_uniform(random)) * (k + 1) / sqrt(energy);
        bins[i].absorbed = 0.2 / (0.2 + energy);
    }
    return bins;
}

/* Follows a photon until it is absorbed or leaves the slab: how deep it came. */
static double follow(const struct bin *bins, size_t count, size_t bin, double *score,
                     uint64_t *random)
{
    double depth = 0, cosine = 1, deepest = 0;
    for (;;) {
        int layer = (int)depth;
        double path = -log(1 - code_uniform(random)) / bins[bin].attenuation[layer];
        depth += cosine * path;
        deepest = fmax(deepest, depth);
        if (depth < 0 || depth >= LAYERS)
            return deepest;
        if (code_uniform(random) < bins[bin].absorbed) {
            score[bin] += (double)(bin + 1) / (double)count;
            return deepest;
        }
        size_t lower = (size_t)((double)bin * (0.5 + 0.5 * code_uniform(random)));
        score[bin] += (double)(bin - lower) / (double)count;
        bin = lower;
        cosine = 2 * code_uniform(random) - 1;
    }
}

int main(int argc, char **argv)
{
    size_t count = sample_number(argc, argv, 1, 1, 10000);
    size_t photons = sample_number(argc, argv, 2, 1, 50000);
    uint64_t random = 101;
    struct source source = create_source(count);
    struct bin *bins = create_bins(count, &random);
    double *score = code_calloc(count, sizeof *score), depth = 0, deposited = 0;
    for (size_t p = 0; p < photons; p++) {
        size_t bin = sample_random_below(&random, count);
        if (code_uniform(&random) > source.threshold[bin])
            bin = source.alias[bin];
        depth += follow(bins, count, bin, score, &random);
    }
    for (size_t i = 0; i < count; i++)
        deposited += score[i];
    printf("photons: mean depth %.6f, deposited %.6f\n", depth / (double)photons, deposited);
    free(source.threshold);
    free(source.alias);
    free(bins);
    free(score);
}
