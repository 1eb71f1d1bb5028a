/*
 * How many blocks accesses cover besides their first, counted from their addresses alone: beside
 * the accesses themselves, the touches of a size. Nothing of the LRU stacks takes part, so the sums
 * check what those count (formats/histograms/conservation.h).
 *
 * spans: per size, added to. An access of extra_bytes + 1 bytes at address a covers
 * ((a mod B) + extra_bytes) / B further blocks of B bytes.
 */
#ifndef FT_ENGINE_REUSE_STACKS_SPANS_H
#define FT_ENGINE_REUSE_STACKS_SPANS_H

#include <stddef.h>
#include <stdint.h>

static inline void ft_spans_add_access(uint64_t *spans, const uint64_t *block_bytes,
                                       size_t size_count, uint64_t address, uint32_t extra_bytes)
{
    for (size_t s = 0; s < size_count; s++)
        spans[s] +=
            ((address & (block_bytes[s] - 1)) + extra_bytes) >> __builtin_ctzll(block_bytes[s]);
}

/* The accesses at address + i * stride for all i < iterations that do not stay clear of every
 * boundary of the smallest size. */
void ft_spans_add_unaligned(uint64_t *spans, const uint64_t *block_bytes, size_t size_count,
                            uint64_t address, uint64_t stride, uint32_t extra_bytes,
                            uint64_t iterations);

/* The accesses at address + i * stride for all i < iterations. All lie alike in pieces of as many
 * bytes as the stride and the block are multiples of: where the first stays inside such a piece, so
 * do all, at every size. */
static inline void ft_spans_add_run(uint64_t *spans, const uint64_t *block_bytes, size_t size_count,
                                    uint64_t address, uint64_t stride, uint32_t extra_bytes,
                                    uint64_t iterations)
{
    uint64_t both = stride | block_bytes[0];
    uint64_t piece = both & -both;
    if (__builtin_expect((address & (piece - 1)) + extra_bytes >= piece, 0))
        ft_spans_add_unaligned(spans, block_bytes, size_count, address, stride, extra_bytes,
                               iterations);
}

#endif
