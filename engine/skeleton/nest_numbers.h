/*
 * The numbers of a nest's elements as functions of the counters around them: a coefficient for each
 * product of counters, the counter i of depth d being bit d of its index. Walks a nest from outside
 * to inside, one level at a time.
 */
#ifndef FT_ENGINE_SKELETON_NEST_NUMBERS_H
#define FT_ENGINE_SKELETON_NEST_NUMBERS_H

#include "formats/skeleton/nest.h"

#define FT_NEST_DEPTH_MAX 16U /* of counters; deeper loops have too many coefficients */

/* The next numbers at a place inside `depth` loops: those of coefficient c at at[c]. */
struct ft_nest_numbers {
    unsigned depth;
    const uint64_t **at; /* [1 << depth] */
};

/* The whole nest's; false: out of memory. */
bool ft_nest_numbers_init(struct ft_nest_numbers *numbers, const struct ft_nest *nest);
/* Those of the body of what repeats; depth must be below FT_NEST_DEPTH_MAX. */
bool ft_nest_numbers_enter(const struct ft_nest_numbers *around,
                           const struct ft_nest_element *element, struct ft_nest_numbers *ret_body);
void ft_nest_numbers_fini(struct ft_nest_numbers *numbers);
/* Moves behind so many numbers. */
void ft_nest_numbers_skip(struct ft_nest_numbers *numbers, size_t count);

#endif
