/*
 * Visits the numbers of a nest beside those of its first executions: what an element has there, and
 * in each row behind it how that changes.
 */
#ifndef FT_FIT_SKELETONS_NEST_ROWS_H
#define FT_FIT_SKELETONS_NEST_ROWS_H

#include "formats/skeleton/nest.h"

/* Of an element, at its first token; first: its first number in the first execution; number: that,
 * or how it changes. False: what is in it is not visited. */
typedef bool ft_nest_row_visitor(void *context, size_t at, size_t first, size_t number);

/* What is in GEOMETRIC, which has other rows, is not visited. */
void ft_nest_visit_rows(const struct ft_nest *nest, ft_nest_row_visitor *visit, void *context);

#endif
