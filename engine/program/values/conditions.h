/*
 * Which of several ways into a block is taken, and whether that changes in a loop: not where all
 * conditions that decide it stand still (strides.h).
 */
#ifndef FT_ENGINE_PROGRAM_VALUES_CONDITIONS_H
#define FT_ENGINE_PROGRAM_VALUES_CONDITIONS_H

#include "engine/program/values/value_sums.h"

/* Whether the way into a local block is the same in all turns of `loop`, which holds it. */
bool ft_way_stands_still(struct ft_value_sums *sums, uint32_t block, uint32_t loop);

#endif
