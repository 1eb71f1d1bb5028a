#include "tests/naive_distances.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "formats/base/array.h"

static struct naive_reference *pair_of(struct naive_distances *naive, uint32_t source,
                                       uint32_t sink)
{
    size_t row = source == FT_NO_SOURCE ? naive->reference_count : source;
    uint32_t *place = &naive->pair_of[row * naive->reference_count + sink];
    if (*place == 0) {
        if (!FT_RESERVE(naive->pairs, naive->pair_capacity, naive->pair_count + 1))
            abort();
        naive->pairs[naive->pair_count] = (struct naive_pair){.sink = sink, .source = source};
        *place = (uint32_t)++naive->pair_count;
    }
    return &naive->pairs[*place - 1].tally;
}

static void count(struct naive_reference *tally, uint64_t distance)
{
    tally->counts[ft_bin_of(distance)]++;
    tally->sums[ft_bin_of(distance)] += distance;
}

static void touch(struct naive_distances *naive, uint64_t number, uint32_t reference)
{
    size_t place = naive->block_count;
    naive->touches++;
    while (place > 0 && naive->blocks[place - 1].number != number)
        place--;
    if (place == 0) {
        naive->references[reference].cold++;
        pair_of(naive, FT_NO_SOURCE, reference)->cold++;
        if (!FT_RESERVE(naive->blocks, naive->block_capacity, naive->block_count + 1))
            abort();
        naive->blocks[naive->block_count++] = (struct naive_block){number, reference};
        return;
    }
    uint64_t distance = naive->block_count - place;
    uint32_t owner = naive->blocks[place - 1].owner;
    memmove(naive->blocks + place - 1, naive->blocks + place, distance * sizeof *naive->blocks);
    naive->blocks[naive->block_count - 1] = (struct naive_block){number, reference};
    count(&naive->references[reference], distance);
    count(pair_of(naive, owner, reference), distance);
}

static void take_access(struct naive_distances *naive, uint64_t address, uint32_t size_bytes,
                        uint32_t reference)
{
    naive->references[reference].accesses++;
    uint64_t first = address / naive->block_bytes;
    uint64_t last = (address + (size_bytes ? size_bytes - 1 : 0)) / naive->block_bytes;
    uint64_t numbers = UINT64_MAX / naive->block_bytes; /* the highest block number */
    for (uint64_t block = first;; block = block == numbers ? 0 : block + 1) {
        touch(naive, block, reference);
        if (block == last)
            break;
    }
}

void naive_distances_run(struct naive_distances *naive, uint64_t block_bytes,
                         struct ft_run_source *source)
{
    *naive = (struct naive_distances){.block_bytes = block_bytes,
                                      .reference_count = source->reference_count};
    naive->references = calloc(source->reference_count + 1, sizeof *naive->references);
    naive->pair_of = calloc((source->reference_count + (size_t)1) * source->reference_count + 1, 4);
    if (!naive->references || !naive->pair_of)
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
                    take_access(naive, address, source->references[reference].size_bytes,
                                reference);
                }
}

void naive_distances_fini(struct naive_distances *naive)
{
    free(naive->blocks);
    free(naive->references);
    free(naive->pair_of);
    free(naive->pairs);
}

static bool same_histogram(const struct ft_histogram *histogram,
                           const struct naive_reference *naive)
{
    uint64_t touches = naive->cold;
    size_t used = 0;
    for (uint32_t bin = 0; bin < FT_BIN_COUNT; bin++) {
        touches += naive->counts[bin];
        if (naive->counts[bin] == 0)
            continue;
        if (used == histogram->bin_count || histogram->bins[used].bin != bin ||
            histogram->bins[used].count != naive->counts[bin] ||
            histogram->bins[used].distance_sum != naive->sums[bin])
            return false;
        used++;
    }
    return used == histogram->bin_count && histogram->cold == naive->cold &&
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

static bool same_pairs(const struct ft_reuse_pairs *pairs, const struct naive_distances *naive)
{
    if (pairs->count != naive->pair_count)
        return false;
    for (size_t i = 0; i < naive->pair_count; i++) {
        const struct naive_pair *pair = &naive->pairs[i];
        const struct ft_histogram *found = find_pair(pairs, pair->sink, pair->source);
        if (!found || !same_histogram(found, &pair->tally)) {
            printf("# references %" PRId32 " to %" PRIu32 " differ\n", (int32_t)pair->source,
                   pair->sink);
            return false;
        }
    }
    return true;
}

bool naive_distances_match(const struct naive_distances *naive,
                           const struct ft_histograms *histograms, size_t size)
{
    for (uint32_t r = 0; r < naive->reference_count; r++)
        if (histograms->reference_accesses[r] != naive->references[r].accesses ||
            !same_histogram(&histograms->histograms[r * histograms->size_count + size],
                            &naive->references[r])) {
            printf("# reference %" PRIu32 " differs\n", r);
            return false;
        }
    if (histograms->pairs && !same_pairs(&histograms->pairs[size], naive))
        return false;
    return histograms->distinct_blocks[size] == naive->block_count &&
           histograms->touches[size] == naive->touches;
}
