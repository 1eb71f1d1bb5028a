/*
 * What a replay has counted, as histograms: distances in the front and long ones are counted apart.
 */
#include <stdlib.h>

#include "engine/replay/stacks/batch.h"
#include "engine/replay/stacks/stack.h"

/* The distances of one reference at one size, from the front's counts and the tally's bins. */
static int finish_histogram(const struct ft_replay *replay, uint32_t reference, unsigned size,
                            struct ft_histogram *ret_histogram, struct ft_diag *diag)
{
    const uint64_t *front = replay->counts.items;
    uint64_t counts[FT_FRONT_BLOCKS];
    for (uint32_t distance = 0; distance < FT_FRONT_BLOCKS; distance++)
        counts[distance] = front[ft_front_counter(reference, distance, size, replay->size_count)];
    counts[0] += replay->references[reference].repeats;
    return ft_tally_histogram(&replay->stacks[size].tally, reference, counts, FT_FRONT_BLOCKS,
                              ret_histogram, diag);
}

/* What the pairs of a size add up to. */
static int add_pairs(const struct ft_reuse_pairs *pairs, unsigned size,
                     struct ft_histograms *histograms, struct ft_diag *diag)
{
    int status = FT_OK;
    for (size_t i = 0; !status && i < pairs->count; i++)
        status = ft_histogram_add(
            &histograms->histograms[pairs->pairs[i].sink * histograms->size_count + size],
            &pairs->histograms[i], diag);
    return status;
}

static int finish_pairs(const struct ft_replay *replay, struct ft_histograms *histograms,
                        struct ft_diag *diag)
{
    histograms->pairs = calloc(replay->size_count, sizeof *histograms->pairs);
    if (!histograms->pairs)
        return ft_fail_memory(diag, "pairs of references");
    int status = FT_OK;
    for (unsigned s = 0; !status && s < replay->size_count; s++) {
        status = ft_pairs_finish(replay->pairs, replay->stacks, replay->size_count, s,
                                 &histograms->pairs[s], diag);
        if (!status)
            status = add_pairs(&histograms->pairs[s], s, histograms, diag);
    }
    return status;
}

static int finish_histograms(const struct ft_replay *replay, struct ft_histograms *histograms,
                             struct ft_diag *diag)
{
    const size_t sizes = replay->size_count;
    int status = FT_OK;
    for (uint32_t r = 0; !status && r < replay->reference_count; r++)
        for (unsigned s = 0; !status && s < sizes; s++)
            status = finish_histogram(replay, r, s, &histograms->histograms[r * sizes + s], diag);
    return status;
}

/* What the histograms will take, about, while the counts are still there. */
static uint64_t result_bytes(const struct ft_replay *replay)
{
    const uint64_t histograms = (uint64_t)replay->reference_count * replay->size_count;
    uint64_t bins = 0, rows = histograms;
    for (unsigned s = 0; s < replay->size_count; s++) {
        bins += (uint64_t)replay->stacks[s].tally.chunk_count * FT_TALLY_CHUNK_BINS;
        rows += replay->pairs ? replay->pairs[s].row_count : 0;
    }
    for (uint64_t i = 0; !replay->pairs && i < histograms * FT_FRONT_BLOCKS; i++)
        bins += ((const uint64_t *)replay->counts.items)[i] > 0;
    if (replay->pairs) /* once for the pair, once for its sink */
        bins = 2 * bins + rows * FT_FRONT_BLOCKS;
    return bins * sizeof(struct ft_bin) + rows * sizeof(struct ft_histogram);
}

int ft_replay_finish(struct ft_replay *replay, struct ft_histograms *histograms,
                     struct ft_diag *diag)
{
    const size_t sizes = replay->size_count;
    const size_t references = replay->reference_count;
    int status = ft_replay_check_memory(replay, result_bytes(replay), diag);
    if (!status)
        status = ft_histograms_init(histograms, replay->block_bytes, sizes, references, diag);
    if (status)
        return status;
    for (size_t s = 0; s < sizes; s++) {
        histograms->distinct_blocks[s] = ft_stack_blocks(&replay->stacks[s]);
        histograms->touches[s] = replay->access_count + replay->spans[s];
    }
    for (uint32_t r = 0; r < references; r++) {
        histograms->reference_accesses[r] = replay->references[r].accesses;
        histograms->reference_strides[r] = replay->references[r].stride;
    }
    return replay->pairs ? finish_pairs(replay, histograms, diag)
                         : finish_histograms(replay, histograms, diag);
}
