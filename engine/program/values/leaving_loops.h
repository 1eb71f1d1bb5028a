/*
 * What sums are behind the loops that they moved with: their values when the loops were left. One
 * exit with a comparison tells it (leaving_loops.c).
 */
#ifndef FT_ENGINE_PROGRAM_VALUES_LEAVING_LOOPS_H
#define FT_ENGINE_PROGRAM_VALUES_LEAVING_LOOPS_H

#include "engine/program/values/value_sums.h"

/* Makes of a sum what it is in a block when the loops that do not hold the block have been left;
 * false where that is no sum. */
bool ft_leave_loops(struct ft_value_sums *sums, struct ft_sum *sum, uint8_t *flags, uint32_t block);

/* Finds the exits of the routine's loops. */
bool ft_find_exits(struct ft_value_sums *sums);

#endif
