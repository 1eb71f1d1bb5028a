#include "fit/skeletons/exact_system.h"

#include <math.h>

#define DENOMINATOR_MAX 4096
#define NEARLY          1e-9L /* of the largest part of a sum */

/* Takes the pivot row out of those below it; false: the terms depend on each other there. */
static bool eliminate(struct ft_exact_system *system, size_t pivot)
{
    size_t best = pivot;
    for (size_t r = pivot; r < system->pivot_rows; r++)
        if (fabsl(system->rows[r][pivot]) > fabsl(system->rows[best][pivot]))
            best = r;
    if (best >= system->pivot_rows || fabsl(system->rows[best][pivot]) < NEARLY)
        return false;
    for (size_t k = 0; k <= system->unknowns; k++) {
        const long double kept = system->rows[pivot][k];
        system->rows[pivot][k] = system->rows[best][k];
        system->rows[best][k] = kept;
    }
    for (size_t r = pivot + 1; r < system->row_count; r++) {
        const long double factor = system->rows[r][pivot] / system->rows[pivot][pivot];
        for (size_t k = pivot; k <= system->unknowns; k++)
            system->rows[r][k] -= factor * system->rows[pivot][k];
    }
    return true;
}

bool ft_exact_system_solve(struct ft_exact_system *system,
                           long double ret_unknowns[FT_UNKNOWNS_MAX])
{
    const size_t unknowns = system->unknowns;
    long double largest = 1;
    for (size_t r = 0; r < system->row_count; r++)
        largest = fmaxl(largest, fabsl(system->rows[r][unknowns]));
    for (size_t k = 0; k < unknowns; k++)
        if (!eliminate(system, k))
            return false;
    for (size_t r = unknowns; r < system->row_count; r++)
        if (fabsl(system->rows[r][unknowns]) > NEARLY * largest)
            return false;
    for (size_t k = unknowns; k-- > 0;) {
        long double sum = system->rows[k][unknowns];
        for (size_t j = k + 1; j < unknowns; j++)
            sum -= system->rows[k][j] * ret_unknowns[j];
        ret_unknowns[k] = sum / system->rows[k][k];
    }
    for (size_t k = 0; k < unknowns; k++)
        ret_unknowns[k] /= system->scales[k];
    return true;
}

double ft_nearby_fraction(long double value)
{
    long double rest = value, before = 0, denominator = 1;
    while (denominator <= DENOMINATOR_MAX) {
        const long double numerator = roundl(value * denominator);
        if (fabsl(value - numerator / denominator) < NEARLY * fmaxl(1e-3L, fabsl(value)))
            return (double)(numerator / denominator);
        rest = 1 / (rest - floorl(rest));
        const long double next = floorl(rest) * denominator + before;
        before = denominator;
        denominator = next;
    }
    return (double)value;
}
