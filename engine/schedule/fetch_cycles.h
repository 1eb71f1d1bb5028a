/*
 * What an op cache brings to a core, cycle by cycle (struct ft_op_cache, docs/schedule.md). Fetched
 * code is seen as runs: instructions that begin in one window, up to a taken branch. An instruction
 * and the branch that fuses with it count as one; a branch, or such a pair, that ends in the next
 * window counts there too. Pure functions.
 */
#ifndef FT_ENGINE_SCHEDULE_FETCH_CYCLES_H
#define FT_ENGINE_SCHEDULE_FETCH_CYCLES_H

#include <stdbool.h>
#include <stdint.h>

#include "machines/cores/core.h"

struct ft_fetch_run {
    uint32_t instruction_count;
    bool is_target;     /* a taken branch leads to it */
    bool falls_through; /* into the next window; else it ends with a taken branch */
};

/* Runs of which a cycle may bring something. */
#define FT_FETCH_RUNS 2

/* Instructions that the next cycle brings of the runs ahead, of which cycles before have brought
 * `brought` of the first: at least 1. */
uint32_t ft_fetch_cycle(const struct ft_op_cache *cache,
                        const struct ft_fetch_run ahead[FT_FETCH_RUNS], uint32_t brought);

/* Cycles of an iteration of a loop, on the average of many; runs: `count` of them, at least 1. */
double ft_fetch_loop_cycles(const struct ft_op_cache *cache, const struct ft_fetch_run *runs,
                            uint32_t count);

#endif
