/*
 * The results of single instructions as linear expressions: moves, additions and shifts, addresses
 * and comparisons. Each function returns false if the result is not linear; flags (enum
 * ft_formula_flag) are added.
 */
#ifndef FT_ENGINE_PROGRAM_VALUES_OPERATION_EXPRS_H
#define FT_ENGINE_PROGRAM_VALUES_OPERATION_EXPRS_H

#include "engine/program/values/value_exprs.h"

/* The address of an access, if it is linear. */
bool ft_address_expr(struct ft_value_exprs *exprs, uint32_t instruction,
                     const struct ft_access *access, struct ft_linear_expr *ret_sum,
                     uint8_t *flags);
/* value: the one that is defined, or FT_NO_VALUE. */
bool ft_move_expr(struct ft_value_exprs *exprs, uint32_t instruction, const struct ft_move *move,
                  uint32_t value, struct ft_linear_expr *ret_sum, uint8_t *flags);
bool ft_assignment_expr(struct ft_value_exprs *exprs, uint32_t instruction,
                        const struct ft_assignment *assignment, uint32_t value,
                        struct ft_linear_expr *ret_sum, uint8_t *flags);
/* The difference whose sign and zeroness the flags hold. */
bool ft_comparison_expr(struct ft_value_exprs *exprs, uint32_t instruction,
                        struct ft_linear_expr *ret_sum, uint8_t *flags);

#endif
