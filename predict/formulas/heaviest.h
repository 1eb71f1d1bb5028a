/*
 * The order of groups and blocks in lists: the heaviest first.
 */
#ifndef FT_PREDICT_FORMULAS_HEAVIEST_H
#define FT_PREDICT_FORMULAS_HEAVIEST_H

#include <stddef.h>
#include <stdint.h>

/* The indices of weights[count] by decreasing weight, equal ones by increasing index; malloc'ed,
 * NULL if out of memory. */
uint32_t *ft_heaviest_first(const double *weights, size_t count);

#endif
