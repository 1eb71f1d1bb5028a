/*
 * Turns the counts of a replay into histograms: short distances, in the front, and long ones are
 * counted separately.
 */
#include <stdlib.h>

#include "engine/reuse/stacks/replay.h"
#include "engine/reuse/stacks/replay_limits.h"
#include "engine/reuse/stacks/replay_state.h"
#include "engine/reuse/stacks/stack.h"

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
    const struct ft_pairs *pairs = replay->pairs;
    const unsigned sizes = replay->size_count;
    const uint64_t histograms = (uint64_t)replay->reference_count * sizes;
    const uint64_t of_pairs = pairs ? (uint64_t)pairs->row_count * sizes : 0;
    const uint64_t *front = pairs ? pairs->counts.items : replay->counts.items;
    uint32_t front_rows = replay->reference_count;
    if (pairs) /* rows count from 1 */
        front_rows = pairs->row_count ? pairs->row_count + 1 : 0;
    const size_t front_count = front ? ft_front_counter(front_rows, 0, 0, sizes) : 0;
    uint64_t bins = of_pairs;
    for (unsigned s = 0; s < sizes; s++)
        bins += (uint64_t)replay->stacks[s].tally.chunk_count * FT_TALLY_CHUNK_BINS;
    for (size_t i = 0; i < front_count; i++)
        bins += front[i] > 0;
    if (pairs) /* once for the pair, once for its sink */
        bins *= 2;
    const uint64_t rows = histograms + of_pairs;
    return bins * sizeof(struct ft_bin) + rows * sizeof(struct ft_histogram);
}

int ft_replay_finish(struct ft_replay *replay, struct ft_histograms *histograms,
                     struct ft_diag *diag)
{
    const size_t sizes = replay->size_count;
    const size_t references = replay->reference_count;
    FT_TRY(ft_replay_check_memory(replay, result_bytes(replay), diag));
    FT_TRY(ft_histograms_init(histograms, replay->block_bytes, sizes, references, diag));
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
