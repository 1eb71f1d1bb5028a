#include "engine/reuse/stacks/tally.h"

#include <stdlib.h>
#include <string.h>

int ft_tally_init(struct ft_tally *tally, uint32_t reference_count, struct ft_diag *diag)
{
    *tally = (struct ft_tally){0};
    return ft_tally_widen(tally, reference_count, diag);
}

int ft_tally_widen(struct ft_tally *tally, uint32_t reference_count, struct ft_diag *diag)
{
    int status = ft_zero_array_reserve(
        &tally->chunk_of, ((size_t)reference_count + 1) * FT_TALLY_CHUNKS * sizeof(uint32_t), diag);
    if (!status)
        status = ft_zero_array_reserve(&tally->cold,
                                       ((size_t)reference_count + 1) * sizeof(uint64_t), diag);
    if (!status)
        tally->row_count = reference_count;
    return status;
}

int ft_tally_reserve(struct ft_tally *tally, uint32_t additions, struct ft_diag *diag)
{
    if (tally->chunk_count > UINT32_MAX - 1 - additions)
        return ft_fail(diag, FT_ERROR_UNSUPPORTED, "more than 2^32 pieces of histograms");
    return ft_zero_array_reserve(&tally->chunks,
                                 ((size_t)tally->chunk_count + additions + 1) *
                                     FT_TALLY_CHUNK_BINS * sizeof(struct ft_tally_bin),
                                 diag);
}

int ft_tally_join(struct ft_tally *tally, const struct ft_tally *more, uint32_t reference_count,
                  struct ft_diag *diag)
{
    int status = ft_tally_reserve(tally, more->chunk_count, diag);
    uint32_t *chunk_of = tally->chunk_of.items;
    const uint32_t *more_of = more->chunk_of.items;
    const size_t count = (size_t)reference_count * FT_TALLY_CHUNKS;
    for (size_t i = 0; !status && i < count; i++) {
        if (more_of[i] == 0)
            continue;
        if (chunk_of[i] == 0)
            chunk_of[i] = ++tally->chunk_count;
        struct ft_tally_bin *bins =
            (struct ft_tally_bin *)tally->chunks.items + (size_t)chunk_of[i] * FT_TALLY_CHUNK_BINS;
        const struct ft_tally_bin *added = (const struct ft_tally_bin *)more->chunks.items +
                                           (size_t)more_of[i] * FT_TALLY_CHUNK_BINS;
        for (uint32_t bin = 0; bin < FT_TALLY_CHUNK_BINS; bin++) {
            bins[bin].count += added[bin].count;
            bins[bin].distance_sum += added[bin].distance_sum;
        }
    }
    return status;
}

int ft_tally_histogram(const struct ft_tally *tally, uint32_t reference,
                       const uint64_t *short_counts, uint32_t short_count,
                       struct ft_histogram *ret_histogram, struct ft_diag *diag)
{
    struct ft_bin bins[FT_TALLY_SHORT_MAX + FT_TALLY_CHUNKS * FT_TALLY_CHUNK_BINS];
    struct ft_histogram histogram = {.cold = ((const uint64_t *)tally->cold.items)[reference]};
    for (uint32_t distance = 0; distance < short_count; distance++)
        if (short_counts[distance])
            bins[histogram.bin_count++] = (struct ft_bin){distance, short_counts[distance],
                                                          short_counts[distance] * distance};
    for (uint32_t chunk = 0; chunk < FT_TALLY_CHUNKS; chunk++) {
        const struct ft_tally_bin *found = ft_tally_chunk(tally, reference, chunk);
        for (uint32_t i = 0; found && i < FT_TALLY_CHUNK_BINS; i++)
            if (found[i].count)
                bins[histogram.bin_count++] = (struct ft_bin){
                    chunk * FT_TALLY_CHUNK_BINS + i, found[i].count, found[i].distance_sum};
    }
    histogram.touches = histogram.cold;
    for (size_t i = 0; i < histogram.bin_count; i++)
        histogram.touches += bins[i].count;
    if (histogram.bin_count) {
        histogram.bins = malloc(histogram.bin_count * sizeof *bins);
        if (!histogram.bins)
            return ft_fail_memory(diag, "a histogram");
        memcpy(histogram.bins, bins, histogram.bin_count * sizeof *bins);
    }
    *ret_histogram = histogram;
    return FT_OK;
}

void ft_tally_fini(struct ft_tally *tally)
{
    ft_zero_array_fini(&tally->chunk_of);
    ft_zero_array_fini(&tally->chunks);
    ft_zero_array_fini(&tally->cold);
}
