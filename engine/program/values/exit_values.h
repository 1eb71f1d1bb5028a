/*
 * Exit values of loops, as in LLVM's scalar evolution: the value that an expression which changes
 * in a loop has after the loop. Known if the loop has a single exit whose condition compares linear
 * expressions.
 */
#ifndef FT_ENGINE_PROGRAM_VALUES_EXIT_VALUES_H
#define FT_ENGINE_PROGRAM_VALUES_EXIT_VALUES_H

#include "engine/program/values/value_exprs.h"

/* Replaces an expression by its value in a block outside the loops that changed it; false if that
 * is not linear. */
bool ft_loop_exit_value(struct ft_value_exprs *exprs, struct ft_linear_expr *expr, uint8_t *flags,
                        uint32_t block);

/* Finds the exits of the routine's loops. */
bool ft_loop_exits_find(struct ft_value_exprs *exprs);

#endif
