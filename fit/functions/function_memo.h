/*
 * Functions that were fitted already. A search for cuts asks for the same tails again and again:
 * for each pair of gaps that leads to them, and once more in every piece that they are in.
 *
 * A memo is used by one thread at a time. What it forgets is fitted again, with the same result.
 */
#ifndef FT_FIT_FUNCTIONS_FUNCTION_MEMO_H
#define FT_FIT_FUNCTIONS_FUNCTION_MEMO_H

#include "fit/functions/expectation.h"

/* What a fit depends on: values at [first, count), and what is expected of them. */
struct ft_fit_question {
    const double *y;
    size_t first, count;
    const struct ft_expectation *expectation;
};

struct ft_function_memo;
/* Of questions with at most count_max values; NULL without memory. */
struct ft_function_memo *ft_function_memo_create(size_t count_max);
void ft_function_memo_destroy(struct ft_function_memo *memo);
/* False where the function is not known. */
bool ft_function_memo_find(const struct ft_function_memo *memo,
                           const struct ft_fit_question *question,
                           struct ft_function *ret_function);
void ft_function_memo_keep(struct ft_function_memo *memo, const struct ft_fit_question *question,
                           const struct ft_function *function);

#endif
