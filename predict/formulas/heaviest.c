#include "predict/formulas/heaviest.h"

#include <stdlib.h>

static int compare(const void *left, const void *right, void *context)
{
    const double *weights = context;
    const uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
    if (weights[a] != weights[b])
        return weights[a] < weights[b] ? 1 : -1;
    return a < b ? -1 : 1;
}

uint32_t *ft_heaviest_first(const double *weights, size_t count)
{
    uint32_t *order = calloc(count + 1, sizeof *order);
    for (uint32_t i = 0; order && i < count; i++)
        order[i] = i;
    if (order)
        qsort_r(order, count, sizeof *order, compare, (void *)weights);
    return order;
}
