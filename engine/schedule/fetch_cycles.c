/*
 * Where a cycle reads two entries they are both of one window, or the last of what a taken branch
 * ends and the first of what it leads to. A window that is one entry comes with the next one, if
 * code runs on into that. What has more than two entries is not in the op cache where a branch
 * leads to it.
 *
 * Where a cycle reads one entry, what a window has beyond it comes with the next window, if code
 * runs on into that; and windows that code runs on into come whole.
 */
#include "engine/schedule/fetch_cycles.h"

#define ITERATIONS 24 /* of which the second half counts */

static uint32_t least(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

static uint32_t fetch_one_entry(const struct ft_op_cache *cache, const struct ft_fetch_run *run,
                                const struct ft_fetch_run *next, uint32_t brought)
{
    const uint32_t left = run->instruction_count - brought;
    if (brought > 0 && run->falls_through)
        return left + next->instruction_count;
    return run->is_target ? least(left, cache->entry_instructions) : left;
}

uint32_t ft_fetch_cycle(const struct ft_op_cache *cache,
                        const struct ft_fetch_run ahead[FT_FETCH_RUNS], uint32_t brought)
{
    const struct ft_fetch_run *run = &ahead[0], *next = &ahead[1];
    const uint32_t entry = cache->entry_instructions, left = run->instruction_count - brought;
    if (cache->entries == 1)
        return fetch_one_entry(cache, run, next, brought);
    if (run->is_target && run->instruction_count > 2 * entry) {
        const uint32_t cycles = cache->decode_cycles;
        return least(left, (run->instruction_count + cycles - 1) / cycles);
    }
    if (left > entry)
        return least(left, 2 * entry);
    if (run->falls_through && brought == 0)
        return left + least(next->instruction_count, 2 * entry);
    if (next->falls_through || next->instruction_count > 2 * entry)
        return left;
    return left + least(next->instruction_count, entry);
}

double ft_fetch_loop_cycles(const struct ft_op_cache *cache, const struct ft_fetch_run *runs,
                            uint32_t count)
{
    uint32_t cycles = 0, half = 0, brought = 0;
    for (uint32_t at = 0; at < ITERATIONS * count; cycles++) {
        const struct ft_fetch_run ahead[FT_FETCH_RUNS] = {runs[at % count], runs[(at + 1) % count]};
        if (half == 0 && at >= ITERATIONS / 2 * count)
            half = cycles;
        brought += ft_fetch_cycle(cache, ahead, brought);
        while (brought >= runs[at % count].instruction_count)
            brought -= runs[at++ % count].instruction_count;
    }
    const uint32_t counted = ITERATIONS / 2;
    return (double)(cycles - half) / counted;
}
