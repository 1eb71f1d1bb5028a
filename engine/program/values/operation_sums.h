/*
 * What single instructions make of the sums that they find: moves, additions and shifts, addresses
 * and comparisons. Each gives false where that is no sum; flags (enum ft_formula_flag) are added.
 */
#ifndef FT_ENGINE_PROGRAM_VALUES_OPERATION_SUMS_H
#define FT_ENGINE_PROGRAM_VALUES_OPERATION_SUMS_H

#include "engine/program/values/value_sums.h"

/* The address of an access as far as it is a sum. */
bool ft_address_sum(struct ft_value_sums *sums, uint32_t instruction,
                    const struct ft_access *access, struct ft_sum *ret_sum, uint8_t *flags);
/* value: the one that is made, or FT_NO_VALUE. */
bool ft_move_sum(struct ft_value_sums *sums, uint32_t instruction, const struct ft_move *move,
                 uint32_t value, struct ft_sum *ret_sum, uint8_t *flags);
bool ft_assignment_sum(struct ft_value_sums *sums, uint32_t instruction,
                       const struct ft_assignment *assignment, uint32_t value,
                       struct ft_sum *ret_sum, uint8_t *flags);
/* What flags compare. */
bool ft_comparison_sum(struct ft_value_sums *sums, uint32_t instruction, struct ft_sum *ret_sum,
                       uint8_t *flags);

#endif
