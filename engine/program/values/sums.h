/*
 * Sums of terms with rational coefficients: constants and multiples of unknowns (registers at the
 * top of a routine, loaded values ...), what formulas of addresses are made of (Marin &
 * Mellor-Crummey 2005, section 2.1). Exact: an operation whose result does not fit says so. Plain
 * values, thread safe.
 */
#ifndef FT_ENGINE_PROGRAM_VALUES_SUMS_H
#define FT_ENGINE_PROGRAM_VALUES_SUMS_H

#include <stdbool.h>
#include <stdint.h>

#define FT_SUM_TERMS_MAX 10
#define FT_ONE           0 /* the unknown that constants are multiples of */

struct ft_term {
    uint32_t unknown;
    int64_t numerator;
    int64_t denominator; /* positive; the fraction is in lowest terms */
};

struct ft_sum {
    uint32_t count;                         /* 0: the sum is 0 */
    struct ft_term terms[FT_SUM_TERMS_MAX]; /* by unknown, none 0 */
};

struct ft_sum ft_sum_constant(int64_t value);
struct ft_sum ft_sum_unknown(uint32_t unknown);

/* sum += numerator/denominator * added; false, and the sum is as it was, where a number or the
 * sum becomes too large. */
bool ft_sum_add(struct ft_sum *sum, const struct ft_sum *added, int64_t numerator,
                int64_t denominator);
bool ft_sum_add_constant(struct ft_sum *sum, int64_t constant);
/* The factor of an unknown (of FT_ONE: the constant), {0} where it is not there. */
struct ft_term ft_sum_term(const struct ft_sum *sum, uint32_t unknown);
void ft_sum_remove(struct ft_sum *sum, uint32_t unknown);

bool ft_sum_equal(const struct ft_sum *a, const struct ft_sum *b);
/* Whether it is a whole constant, and which. */
bool ft_sum_is_constant(const struct ft_sum *sum, int64_t *ret_value);
/* Whether all factors are whole. */
bool ft_sum_is_whole(const struct ft_sum *sum);

#endif
