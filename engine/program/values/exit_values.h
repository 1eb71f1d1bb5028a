/*
 * What expressions are behind the loops that they moved with: their values when the loops were
 * left. One exit with a comparison tells it (exit_values.c).
 */
#ifndef FT_ENGINE_PROGRAM_VALUES_EXIT_VALUES_H
#define FT_ENGINE_PROGRAM_VALUES_EXIT_VALUES_H

#include "engine/program/values/value_exprs.h"

/* Makes of an expression what it is in a block when the loops that do not hold the block have been
 * left; false where that is no expression. */
bool ft_loop_exit_value(struct ft_value_exprs *exprs, struct ft_linear_expr *expr, uint8_t *flags,
                        uint32_t block);

/* Finds the exits of the routine's loops. */
bool ft_loop_exits_find(struct ft_value_exprs *exprs);

#endif
