/*
 * The numbers of a nest's elements as functions of the counters around them: a sum of terms, each a
 * coefficient times a product of counters, and of powers of two of those that are geometric. Walks
 * a nest from outside to inside, one level at a time.
 */
#ifndef FT_ENGINE_SKELETON_NEST_NUMBERS_H
#define FT_ENGINE_SKELETON_NEST_NUMBERS_H

#include "formats/skeleton/nest.h"

#define FT_NEST_DEPTH_MAX 16U /* of counters; deeper loops have too many terms */

/* Of the next numbers, by number: a coefficient times counters; of those that are summed up, times
 * the sum of 2^(exponent * m) over all m below the counter `summed_by`. */
struct ft_nest_term {
    const uint64_t *at;        /* the coefficients */
    const uint64_t *exponents; /* or NULL */
    unsigned exponent_factor;
    unsigned summed_by; /* depth of the counter */
    uint32_t counters;  /* bits: depth of each in the product */
};

/* The next numbers at a place inside `depth` loops, of which one at most is geometric. */
struct ft_nest_numbers {
    unsigned depth;
    bool is_geometric;
    size_t count;
    struct ft_nest_term *terms; /* [count], the constant first */
};
static inline int64_t ft_nest_exponent(const struct ft_nest_term *term, size_t number)
{
    return (int64_t)(term->exponent_factor * term->exponents[number]);
}

/* The whole nest's; false: out of memory. */
bool ft_nest_numbers_init(struct ft_nest_numbers *numbers, const struct ft_nest *nest);
/* Whether those of the body of what repeats can be told. */
static inline bool ft_nest_numbers_may_enter(const struct ft_nest_numbers *around,
                                             const struct ft_nest_element *element)
{
    return around->depth < FT_NEST_DEPTH_MAX &&
           !(around->is_geometric && element->kind == FT_NEST_GEOMETRIC);
}
/* They are. */
bool ft_nest_numbers_enter(const struct ft_nest_numbers *around,
                           const struct ft_nest_element *element, struct ft_nest_numbers *ret_body);
void ft_nest_numbers_fini(struct ft_nest_numbers *numbers);
/* Moves behind so many numbers. */
void ft_nest_numbers_skip(struct ft_nest_numbers *numbers, size_t count);

#endif
