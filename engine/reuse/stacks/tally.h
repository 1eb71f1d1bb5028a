/*
 * Counts of long distances for one block size: per reference, log-linear bins (histograms.h),
 * allocated in chunks of 16 when a distance first falls into them, and cold touches. Distances
 * below 32 bits. ft_tally_reserve makes room beforehand, so that adding cannot fail.
 */
#ifndef FT_ENGINE_REUSE_STACKS_TALLY_H
#define FT_ENGINE_REUSE_STACKS_TALLY_H

#include "formats/base/zero_array.h"
#include "formats/histograms/histograms.h"

#define FT_TALLY_CHUNK_BINS 16U
#define FT_TALLY_CHUNKS     32U /* of a reference: bins up to distance 2^32 and two to spare */

struct ft_tally_bin {
    uint64_t count;
    uint64_t distance_sum;
};

struct ft_tally {
    struct ft_zero_array chunk_of; /* uint32_t [reference * FT_TALLY_CHUNKS + chunk]; 0: none yet */
    struct ft_zero_array chunks;   /* struct ft_tally_bin [chunk * 16 + bin % 16]; chunk 0 unused */
    struct ft_zero_array cold;     /* uint64_t [reference] */
    uint32_t chunk_count;
    uint32_t row_count; /* capacity in rows */
};

int ft_tally_init(struct ft_tally *tally, uint32_t reference_count, struct ft_diag *diag);
/* Makes room for reference_count references; new ones have no touches yet. */
int ft_tally_widen(struct ft_tally *tally, uint32_t reference_count, struct ft_diag *diag);
/* Makes room for `additions` calls of ft_tally_add. */
int ft_tally_reserve(struct ft_tally *tally, uint32_t additions, struct ft_diag *diag);
/* Adds the distances of another tally, but not its cold touches. */
int ft_tally_join(struct ft_tally *tally, const struct ft_tally *more, uint32_t reference_count,
                  struct ft_diag *diag);
/* Memory of the distances. */
static inline uint64_t ft_tally_bytes(const struct ft_tally *tally)
{
    return ((uint64_t)tally->chunk_count + 1) * FT_TALLY_CHUNK_BINS * sizeof(struct ft_tally_bin);
}
/* Memory of the chunk table and of the cold touches. */
static inline uint64_t ft_tally_table_bytes(const struct ft_tally *tally)
{
    return (tally->row_count + (uint64_t)1) *
           (FT_TALLY_CHUNKS * sizeof(uint32_t) + sizeof(uint64_t));
}
/* The histogram of a reference, including the counts of distances below short_count (at most
 * FT_TALLY_SHORT_MAX), which are kept elsewhere; the tally has none of these. */
#define FT_TALLY_SHORT_MAX 16U
int ft_tally_histogram(const struct ft_tally *tally, uint32_t reference,
                       const uint64_t *short_counts, uint32_t short_count,
                       struct ft_histogram *ret_histogram, struct ft_diag *diag);
void ft_tally_fini(struct ft_tally *tally);

static inline void ft_tally_add(struct ft_tally *tally, uint32_t reference, uint32_t distance,
                                uint32_t weight)
{
    uint32_t bin = ft_bin_of(distance);
    uint32_t *chunk = (uint32_t *)tally->chunk_of.items + (size_t)reference * FT_TALLY_CHUNKS +
                      bin / FT_TALLY_CHUNK_BINS;
    if (__builtin_expect(*chunk == 0, 0))
        *chunk = ++tally->chunk_count;
    struct ft_tally_bin *slot = (struct ft_tally_bin *)tally->chunks.items +
                                (size_t)*chunk * FT_TALLY_CHUNK_BINS + bin % FT_TALLY_CHUNK_BINS;
    slot->count += weight;
    slot->distance_sum += (uint64_t)weight * distance;
}

/* The bins chunk * 16 .. chunk * 16 + 15 of a reference, or NULL where all are empty. */
static inline const struct ft_tally_bin *ft_tally_chunk(const struct ft_tally *tally,
                                                        uint32_t reference, uint32_t chunk)
{
    uint32_t number =
        ((const uint32_t *)tally->chunk_of.items)[(size_t)reference * FT_TALLY_CHUNKS + chunk];
    const struct ft_tally_bin *chunks = tally->chunks.items;
    return number ? chunks + (size_t)number * FT_TALLY_CHUNK_BINS : NULL;
}

#endif
