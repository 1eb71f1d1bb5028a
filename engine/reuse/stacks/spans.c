/*
 * An access of e + 1 bytes that starts at offset x of its block of B bytes covers (x + e) / B
 * further blocks. Apart from the multiples of B in e, that is 1 if x + e reaches B: the difference
 * of two sums of floored quotients over an arithmetic sequence, which a variant of Euclid's
 * algorithm computes in as many steps as a greatest common divisor takes.
 */
#include "engine/reuse/stacks/spans.h"

__extension__ typedef unsigned __int128 wide;

#define SHORT_RUN 128U /* iterations that are counted one by one in less time */

/* Sum of (start + i * step) / divisor over i < count, which is at least 1. step is below the
 * divisor at first and start below twice of it, so the sum, below 2 * count^2, has room. */
static wide sum_of_quotients(wide count, wide divisor, wide step, wide start)
{
    wide sum = 0;
    for (;;) {
        sum += count * (count - 1) / 2 * (step / divisor) + count * (start / divisor);
        step %= divisor;
        start %= divisor;
        wide highest = step * count + start;
        if (highest < divisor)
            return sum;
        /* The quotients are the points below a line: from here on counted along the other axis. */
        count = highest / divisor;
        start = highest % divisor;
        wide turned = divisor;
        divisor = step;
        step = turned;
    }
}

void ft_spans_add_unaligned(uint64_t *spans, const uint64_t *block_bytes, size_t size_count,
                            uint64_t address, uint64_t stride, uint32_t extra_bytes,
                            uint64_t iterations)
{
    if (iterations <= SHORT_RUN) {
        for (uint64_t i = 0; i < iterations; i++)
            ft_spans_add_access(spans, block_bytes, size_count, address + i * stride, extra_bytes);
        return;
    }
    for (size_t s = 0; s < size_count; s++) {
        uint64_t mask = block_bytes[s] - 1;
        uint64_t start = address & mask, step = stride & mask, extra = extra_bytes & mask;
        wide crossings = sum_of_quotients(iterations, block_bytes[s], step, (wide)start + extra) -
                         sum_of_quotients(iterations, block_bytes[s], step, start);
        uint64_t whole_blocks = (extra_bytes - extra) / block_bytes[s];
        spans[s] += iterations * whole_blocks + (uint64_t)crossings;
    }
}
