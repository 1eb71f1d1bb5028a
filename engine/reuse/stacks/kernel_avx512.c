/*
 * The front in one register of 16 blocks.
 */
#include <immintrin.h>

#include "engine/reuse/stacks/kernel.h"

struct front {
    __m512i blocks;
};

static inline struct front front_load(const uint32_t *blocks)
{
    return (struct front){_mm512_loadu_si512(blocks)};
}

static inline void front_store(uint32_t *blocks, const struct front *front)
{
    _mm512_storeu_si512(blocks, front->blocks);
}

static inline unsigned front_touch(struct front *front, uint32_t block, uint32_t *ret_evicted)
{
    __m512i wanted = _mm512_set1_epi32((int)block);
    uint32_t found = _mm512_cmpeq_epi32_mask(front->blocks, wanted) | 1U << FT_FRONT_BLOCKS;
    /* The lowest set bit and all below: places 0 .. position take the block before them. */
    __mmask16 moved = (__mmask16)(found ^ (found - 1));
    *ret_evicted = (uint32_t)_mm_extract_epi32(_mm512_extracti32x4_epi32(front->blocks, 3), 3);
    front->blocks = _mm512_mask_alignr_epi32(front->blocks, moved, front->blocks, wanted, 15);
    return (unsigned)__builtin_ctz(found);
}

#include "engine/reuse/stacks/kernel_loops.inc"

static bool is_supported(void)
{
    return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
           __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq") &&
           __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2") &&
           __builtin_cpu_supports("popcnt") && __builtin_cpu_supports("lzcnt");
}

const struct ft_replay_kernel ft_replay_kernel_avx512 = {"avx512", is_supported, kernel_touch,
                                                         kernel_touch_pairs, kernel_resolve};
