/*
 * The reference for replay: reuse distances by the definition, a list of blocks in order of their
 * last touch, each with the reference that made it, that is searched from the top. One block size;
 * O(touches x distinct blocks).
 */
#ifndef FT_TESTS_SUPPORT_REFERENCE_DISTANCES_H
#define FT_TESTS_SUPPORT_REFERENCE_DISTANCES_H

#include <stdbool.h>
#include <stdint.h>

#include "formats/expand/runs.h"
#include "formats/histograms/histograms.h"

struct reference_distance_counts {
    uint64_t accesses;
    uint64_t cold;
    uint64_t counts[FT_BIN_COUNT];
    uint64_t sums[FT_BIN_COUNT];
};

struct reference_distance_pair {
    uint32_t sink, source; /* source FT_NO_SOURCE: cold touches */
    struct reference_distance_counts tally;
};

struct reference_distance_block {
    uint64_t number;
    uint32_t owner;
};

struct reference_distances {
    uint64_t block_bytes;
    struct reference_distance_block *blocks; /* most recent last */
    size_t block_count, block_capacity;
    uint32_t *pair_of; /* [source * reference_count + sink]: index of the pair + 1; cold: source =
                          reference_count */
    struct reference_distance_pair *pairs;
    size_t pair_count, pair_capacity;
    uint64_t touches;
    struct reference_distance_counts *references;
    uint32_t reference_count;
};

/* Takes the source to its end. Aborts when out of memory. */
void reference_distances_run(struct reference_distances *expected, uint64_t block_bytes,
                             struct ft_run_source *source);
/* Whether a size of these histograms has every count and every sum, touches and blocks, and every
 * pair where there are some. Says on stdout which reference does not. */
bool reference_distances_match(const struct reference_distances *expected,
                               const struct ft_histograms *histograms, size_t size);
void reference_distances_fini(struct reference_distances *expected);

#endif
