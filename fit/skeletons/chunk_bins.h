/*
 * Chunks of the GNU C library's malloc in lists: stacks, of which the last one put there is taken
 * first, and its bins, of which each has a range of sizes (glibc malloc/malloc.c: bin_index,
 * largebin_index).
 */
#ifndef FT_FIT_SKELETONS_CHUNK_BINS_H
#define FT_FIT_SKELETONS_CHUNK_BINS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "formats/base/status.h"

/* From here on a bin is of several sizes. */
#define FT_CHUNK_LARGE_MIN 1024U

struct ft_chunk {
    uint64_t start, bytes;
    uint64_t age;  /* of free ones: when they were sorted; 0: they are not */
    uint64_t lead; /* of mapped ones that are given out: bytes before the aligned header */
};

struct ft_chunks {
    struct ft_chunk *items;
    size_t count, capacity;
};
int ft_chunks_add(struct ft_chunks *chunks, struct ft_chunk chunk, struct ft_diag *diag);
struct ft_chunk ft_chunks_take(struct ft_chunks *chunks, size_t index);
/* The last one put there of a size, or count; and how many there are. */
size_t ft_chunks_find_last(const struct ft_chunks *chunks, uint64_t bytes);
size_t ft_chunks_count(const struct ft_chunks *chunks, uint64_t bytes);

/* Of all bins, in one list. */
#define FT_NO_BIN 0U
unsigned ft_bin_of(uint64_t bytes);
/* The first bin that has a chunk, from one on. */
unsigned ft_bins_next(const struct ft_chunks *bins, unsigned first);
/* The smallest chunk of a bin that is large enough, the oldest of these, or count. */
size_t ft_bins_smallest(const struct ft_chunks *bins, unsigned bin, uint64_t bytes);
/* Of large chunks of one size, given the oldest, the one that is taken: the first one behind it if
 * a size was asked for, the last one if any will do; the oldest when it is alone. */
size_t ft_bins_like(const struct ft_chunks *bins, size_t oldest, bool is_by_size);

#endif
