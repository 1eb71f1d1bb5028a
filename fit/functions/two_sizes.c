/*
 * Growths are ratios of the values at the two sizes. Coefficients of two terms between which the
 * values grow are both above 0, so the sum rises as its terms do.
 */
#include "fit/functions/two_sizes.h"

#include <math.h>

#define ALIKE 0.01 /* growths that chance tells apart: relative */

static double growth_of(const struct ft_axis *axis, size_t term)
{
    return axis->points[0].terms[term] > 0
               ? axis->points[1].terms[term] / axis->points[0].terms[term]
               : INFINITY;
}

struct ft_function ft_two_sizes_fit(const struct ft_axis *axis, const double *y, uint32_t terms)
{
    struct ft_function function = {.coefficients = {(y[0] + y[1]) / 2}};
    const double growth = y[1] / fmax(y[0], 1);
    double below = 0, above = INFINITY;
    size_t slower = 0, faster = 0;
    for (size_t term = 0; term < axis->basis.term_count; term++) {
        const double own = growth_of(axis, term);
        if (!((terms | 1U) >> term & 1) || !(own >= 1))
            continue;
        if (own <= growth * (1 + ALIKE) && own > below) {
            below = own;
            slower = term;
        } else if (own > growth * (1 + ALIKE) && own < above) {
            above = own;
            faster = term;
        }
    }
    if (below == 0)
        return function;
    const double *t = axis->points[0].terms, *u = axis->points[1].terms;
    function.coefficients[0] = 0;
    if (below >= growth * (1 - ALIKE) || isinf(above)) {
        function.coefficients[slower] = (y[0] / t[slower] + y[1] / u[slower]) / 2;
        return function;
    }
    const double determinant = t[slower] * u[faster] - u[slower] * t[faster];
    function.coefficients[slower] = (y[0] * u[faster] - y[1] * t[faster]) / determinant;
    function.coefficients[faster] = (t[slower] * y[1] - u[slower] * y[0]) / determinant;
    return function;
}
