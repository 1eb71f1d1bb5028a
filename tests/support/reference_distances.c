#include "tests/support/reference_distances.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "formats/base/array.h"

static struct reference_distance_counts *pair_of(struct reference_distances *expected,
                                                 uint32_t source, uint32_t sink)
{
    size_t row = source == FT_NO_SOURCE ? expected->reference_count : source;
    uint32_t *place = &expected->pair_of[row * expected->reference_count + sink];
    if (*place == 0) {
        if (!FT_RESERVE(expected->pairs, expected->pair_capacity, expected->pair_count + 1))
            abort();
        expected->pairs[expected->pair_count] =
            (struct reference_distance_pair){.sink = sink, .source = source};
        *place = (uint32_t)++expected->pair_count;
    }
    return &expected->pairs[*place - 1].tally;
}

static void count(struct reference_distance_counts *tally, uint64_t distance)
{
    tally->counts[ft_bin_of(distance)]++;
    tally->sums[ft_bin_of(distance)] += distance;
}

static void touch(struct reference_distances *expected, uint64_t number, uint32_t reference)
{
    size_t place = expected->block_count;
    expected->touches++;
    while (place > 0 && expected->blocks[place - 1].number != number)
        place--;
    if (place == 0) {
        expected->references[reference].cold++;
        pair_of(expected, FT_NO_SOURCE, reference)->cold++;
        if (!FT_RESERVE(expected->blocks, expected->block_capacity, expected->block_count + 1))
            abort();
        expected->blocks[expected->block_count++] =
            (struct reference_distance_block){number, reference};
        return;
    }
    uint64_t distance = expected->block_count - place;
    uint32_t owner = expected->blocks[place - 1].owner;
    memmove(expected->blocks + place - 1, expected->blocks + place,
            distance * sizeof *expected->blocks);
    expected->blocks[expected->block_count - 1] =
        (struct reference_distance_block){number, reference};
    count(&expected->references[reference], distance);
    count(pair_of(expected, owner, reference), distance);
}

static void take_access(struct reference_distances *expected, uint64_t address, uint32_t size_bytes,
                        uint32_t reference)
{
    expected->references[reference].accesses++;
    uint64_t first = address / expected->block_bytes;
    uint64_t last = (address + (size_bytes ? size_bytes - 1 : 0)) / expected->block_bytes;
    uint64_t numbers = UINT64_MAX / expected->block_bytes; /* the highest block number */
    for (uint64_t block = first;; block = block == numbers ? 0 : block + 1) {
        touch(expected, block, reference);
        if (block == last)
            break;
    }
}

void reference_distances_run(struct reference_distances *expected, uint64_t block_bytes,
                             struct ft_run_source *source)
{
    *expected = (struct reference_distances){.block_bytes = block_bytes,
                                             .reference_count = source->reference_count};
    expected->references = calloc(source->reference_count + 1, sizeof *expected->references);
    expected->pair_of =
        calloc((source->reference_count + (size_t)1) * source->reference_count + 1, 4);
    if (!expected->references || !expected->pair_of)
        abort();
    struct ft_run_batch batch;
    while (source->next(source, &batch, NULL) == FT_OK && batch.run_count)
        for (const struct ft_run *run = batch.runs; run < batch.runs + batch.run_count; run++)
            for (uint64_t i = 0; i < run->iteration_count; i++)
                for (size_t j = run->first; j < run->first + run->reference_count; j++) {
                    uint32_t reference = batch.references[j];
                    uint64_t address = batch.addresses[j];
                    if (run->iteration_count > 1)
                        address += i * (uint64_t)batch.strides[j];
                    take_access(expected, address, source->references[reference].size_bytes,
                                reference);
                }
}

void reference_distances_fini(struct reference_distances *expected)
{
    free(expected->blocks);
    free(expected->references);
    free(expected->pair_of);
    free(expected->pairs);
}

static bool same_histogram(const struct ft_histogram *histogram,
                           const struct reference_distance_counts *expected)
{
    uint64_t touches = expected->cold;
    size_t used = 0;
    for (uint32_t bin = 0; bin < FT_BIN_COUNT; bin++) {
        touches += expected->counts[bin];
        if (expected->counts[bin] == 0)
            continue;
        if (used == histogram->bin_count || histogram->bins[used].bin != bin ||
            histogram->bins[used].count != expected->counts[bin] ||
            histogram->bins[used].distance_sum != expected->sums[bin])
            return false;
        used++;
    }
    return used == histogram->bin_count && histogram->cold == expected->cold &&
           histogram->touches == touches;
}

static const struct ft_histogram *find_pair(const struct ft_reuse_pairs *pairs, uint32_t sink,
                                            uint32_t source)
{
    for (size_t i = 0; i < pairs->count; i++)
        if (pairs->pairs[i].sink == sink && pairs->pairs[i].source == source)
            return &pairs->histograms[i];
    return NULL;
}

static bool same_pairs(const struct ft_reuse_pairs *pairs,
                       const struct reference_distances *expected)
{
    if (pairs->count != expected->pair_count)
        return false;
    for (size_t i = 0; i < expected->pair_count; i++) {
        const struct reference_distance_pair *pair = &expected->pairs[i];
        const struct ft_histogram *found = find_pair(pairs, pair->sink, pair->source);
        if (!found || !same_histogram(found, &pair->tally)) {
            printf("# references %" PRId32 " to %" PRIu32 " differ\n", (int32_t)pair->source,
                   pair->sink);
            return false;
        }
    }
    return true;
}

bool reference_distances_match(const struct reference_distances *expected,
                               const struct ft_histograms *histograms, size_t size)
{
    for (uint32_t r = 0; r < expected->reference_count; r++)
        if (histograms->reference_accesses[r] != expected->references[r].accesses ||
            !same_histogram(&histograms->histograms[r * histograms->size_count + size],
                            &expected->references[r])) {
            printf("# reference %" PRIu32 " differs\n", r);
            return false;
        }
    if (histograms->pairs && !same_pairs(&histograms->pairs[size], expected))
        return false;
    return histograms->distinct_blocks[size] == expected->block_count &&
           histograms->touches[size] == expected->touches;
}
