/*
 * The front in two registers of eight blocks.
 */
#include <immintrin.h>

#include "engine/reuse/stacks/kernel.h"

struct front {
    __m256i newer, older;
};

static inline struct front front_load(const uint32_t *blocks)
{
    return (struct front){_mm256_loadu_si256((const __m256i *)blocks),
                          _mm256_loadu_si256((const __m256i *)(blocks + 8))};
}

static inline void front_store(uint32_t *blocks, const struct front *front)
{
    _mm256_storeu_si256((__m256i *)blocks, front->newer);
    _mm256_storeu_si256((__m256i *)(blocks + 8), front->older);
}

/* A window that starts at 16 - position selects the places 0 .. position. */
static const uint32_t places[33] = {
    ~0U, ~0U, ~0U, ~0U, ~0U, ~0U, ~0U, ~0U, ~0U, ~0U, ~0U, ~0U, ~0U, ~0U, ~0U, ~0U, ~0U,
};

static inline unsigned front_touch(struct front *front, uint32_t block, uint32_t *ret_evicted)
{
    const __m256i rotation = _mm256_setr_epi32(7, 0, 1, 2, 3, 4, 5, 6);
    __m256i wanted = _mm256_set1_epi32((int)block);
    __m256i in_newer = _mm256_cmpeq_epi32(front->newer, wanted);
    __m256i in_older = _mm256_cmpeq_epi32(front->older, wanted);
    unsigned found = (unsigned)_mm256_movemask_ps(_mm256_castsi256_ps(in_newer)) |
                     (unsigned)_mm256_movemask_ps(_mm256_castsi256_ps(in_older)) << 8 | 1U << 16;
    unsigned position = (unsigned)__builtin_ctz(found);
    *ret_evicted = (uint32_t)_mm256_extract_epi32(front->older, 7);

    __m256i newer = _mm256_permutevar8x32_epi32(front->newer, rotation);
    __m256i older = _mm256_permutevar8x32_epi32(front->older, rotation);
    older = _mm256_blend_epi32(older, newer, 1);
    newer = _mm256_blend_epi32(newer, wanted, 1);
    const uint32_t *window = places + 16 - position;
    __m256i moved_newer = _mm256_loadu_si256((const __m256i *)window);
    __m256i moved_older = _mm256_loadu_si256((const __m256i *)(window + 8));
    front->newer = _mm256_blendv_epi8(front->newer, newer, moved_newer);
    front->older = _mm256_blendv_epi8(front->older, older, moved_older);
    return position;
}

#include "engine/reuse/stacks/kernel_loops.inc"

static bool is_supported(void)
{
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi") &&
           __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("popcnt") &&
           __builtin_cpu_supports("lzcnt");
}

const struct ft_replay_kernel ft_replay_kernel_avx2 = {"avx2", is_supported, kernel_touch,
                                                       kernel_touch_pairs, kernel_resolve};
