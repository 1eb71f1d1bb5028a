/*
 * The slow witness of replay: reuse distances by the definition, a list of blocks in order of their
 * last touch, each with the reference that made it, that is searched from the top. One block size;
 * O(touches x distinct blocks).
 */
#ifndef FT_TESTS_NAIVE_DISTANCES_H
#define FT_TESTS_NAIVE_DISTANCES_H

#include <stdbool.h>
#include <stdint.h>

#include "formats/expand/runs.h"
#include "formats/histograms/histograms.h"

struct naive_reference {
    uint64_t accesses;
    uint64_t cold;
    uint64_t counts[FT_BIN_COUNT];
    uint64_t sums[FT_BIN_COUNT];
};

struct naive_pair {
    uint32_t sink, source; /* source FT_NO_SOURCE: cold touches */
    struct naive_reference tally;
};

struct naive_block {
    uint64_t number;
    uint32_t owner;
};

struct naive_distances {
    uint64_t block_bytes;
    struct naive_block *blocks; /* most recent last */
    size_t block_count, block_capacity;
    uint32_t *pair_of; /* [source * reference_count + sink]: index of the pair + 1; cold: source =
                          reference_count */
    struct naive_pair *pairs;
    size_t pair_count, pair_capacity;
    uint64_t touches;
    struct naive_reference *references;
    uint32_t reference_count;
};

/* Takes the source to its end. Aborts when out of memory. */
void naive_distances_run(struct naive_distances *naive, uint64_t block_bytes,
                         struct ft_run_source *source);
/* Whether a size of these histograms has every count and every sum, touches and blocks, and every
 * pair where there are some. Says on stdout which reference does not. */
bool naive_distances_match(const struct naive_distances *naive,
                           const struct ft_histograms *histograms, size_t size);
void naive_distances_fini(struct naive_distances *naive);

#endif
