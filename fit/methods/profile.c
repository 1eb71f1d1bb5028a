#include "fit/methods/profile.h"

#include <stdlib.h>

/* Sums the histograms into full-width arrays of counts and distance sums; gives the atoms. */
static size_t accumulate(const struct ft_histogram *const *histograms, size_t count,
                         uint64_t *counts, uint64_t *sums)
{
    size_t atoms = 0;
    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; j < histograms[i]->bin_count; j++) {
            const struct ft_bin *bin = &histograms[i]->bins[j];
            atoms += counts[bin->bin] == 0;
            counts[bin->bin] += bin->count;
            sums[bin->bin] += bin->distance_sum;
        }
    return atoms;
}

int ft_profile_init(struct ft_profile *profile, const struct ft_histogram *const *histograms,
                    size_t count, struct ft_diag *diag)
{
    *profile = (struct ft_profile){0};
    uint64_t *counts = calloc(2 * (size_t)FT_BIN_COUNT, sizeof *counts);
    if (!counts)
        return ft_fail_memory(diag, "a histogram");
    uint64_t *sums = counts + FT_BIN_COUNT;
    size_t atoms = accumulate(histograms, count, counts, sums);
    for (size_t i = 0; i < count; i++)
        profile->cold += histograms[i]->cold;

    double *block = malloc((3 * atoms + 2) * sizeof *block);
    if (!block) {
        free(counts);
        return ft_fail_memory(diag, "a histogram");
    }
    profile->distances_blocks = block;
    profile->ranks = block + atoms;
    profile->sums = block + 2 * atoms + 1;
    uint64_t rank = 0;
    double sum = 0;
    for (uint32_t bin = 0; bin < FT_BIN_COUNT; bin++) {
        if (counts[bin] == 0)
            continue;
        size_t at = profile->atom_count++;
        profile->distances_blocks[at] = (double)sums[bin] / (double)counts[bin];
        profile->ranks[at] = (double)rank;
        profile->sums[at] = sum;
        rank += counts[bin];
        sum += (double)sums[bin];
    }
    profile->ranks[atoms] = profile->touches = (double)rank;
    profile->sums[atoms] = sum;
    free(counts);
    return FT_OK;
}

void ft_profile_fini(struct ft_profile *profile)
{
    free(profile->distances_blocks); /* the one block of all three arrays */
    *profile = (struct ft_profile){0};
}

size_t ft_profile_atom(const struct ft_profile *profile, double rank)
{
    size_t low = 0, high = profile->atom_count;
    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;
        if (profile->ranks[middle] <= rank)
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* The sum of distances before a rank in an atom. */
static double sum_before(const struct ft_profile *profile, double rank, size_t atom)
{
    return profile->sums[atom] + (rank - profile->ranks[atom]) * profile->distances_blocks[atom];
}

static double mean_of_atoms(const struct ft_profile *profile, double begin, size_t first,
                            double end, size_t last)
{
    return (sum_before(profile, end, last) - sum_before(profile, begin, first)) / (end - begin);
}

double ft_profile_mean(const struct ft_profile *profile, double begin, double end)
{
    size_t first = ft_profile_atom(profile, begin);
    if (end <= profile->ranks[first + 1]) /* inside one atom: no rounding */
        return profile->distances_blocks[first];
    return mean_of_atoms(profile, begin, first, end, ft_profile_atom(profile, end));
}

/* The atom that holds a rank, from one before on. */
static size_t walk(const struct ft_profile *profile, double rank, size_t atom)
{
    while (atom + 1 < profile->atom_count && profile->ranks[atom + 1] <= rank)
        atom++;
    return atom;
}

double ft_profile_next_mean(const struct ft_profile *profile, double begin, double end,
                            size_t *atom)
{
    const size_t first = *atom = walk(profile, begin, *atom);
    if (end <= profile->ranks[first + 1])
        return profile->distances_blocks[first];
    *atom = walk(profile, end, first);
    return mean_of_atoms(profile, begin, first, end, *atom);
}

double ft_profile_rank(const struct ft_profile *profile, double distance_blocks)
{
    size_t low = 0, high = profile->atom_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (profile->distances_blocks[middle] < distance_blocks)
            low = middle + 1;
        else
            high = middle;
    }
    return profile->ranks[low];
}
