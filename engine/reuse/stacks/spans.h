/*
 * How many blocks accesses cover beyond their first, from their addresses alone: accesses plus
 * spans are the touches of a size. The LRU stacks are not involved, so the sums check what those
 * count (formats/histograms/conservation.h).
 *
 * spans: per size, added to. An access of extra_bytes + 1 bytes at address a covers ((a mod B) +
 * extra_bytes) / B further blocks of B bytes.
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

/* Accesses at address + i * stride for all i < iterations, some of which cross a boundary of the
 * smallest size. */
void ft_spans_add_unaligned(uint64_t *spans, const uint64_t *block_bytes, size_t size_count,
                            uint64_t address, uint64_t stride, uint32_t extra_bytes,
                            uint64_t iterations);

/* Accesses at address + i * stride for all i < iterations. All have the same offset within pieces
 * whose size is the largest power of two that divides both stride and block: if the first stays
 * inside its piece, so do all, at every size. */
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
