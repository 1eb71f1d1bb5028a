#include "predict/measured/error_summary.h"

#include <math.h>
#include <stdlib.h>

double ft_relative_error(double forecast, double measured)
{
    return measured > 0 ? (forecast - measured) / measured : NAN;
}

/* NAN last. */
static int compare(const void *a, const void *b)
{
    const double *one = a, *other = b;
    if (isnan(*one) || isnan(*other))
        return isnan(*one) - isnan(*other);
    return (*one > *other) - (*one < *other);
}

struct ft_error_summary ft_error_summary_of(double *errors, size_t count)
{
    struct ft_error_summary summary = {.median = NAN, .within_95 = NAN};
    for (size_t i = 0; i < count; i++)
        errors[i] = fabs(errors[i]);
    qsort(errors, count, sizeof *errors, compare);
    while (summary.count < count && !isnan(errors[summary.count]))
        summary.count++;
    const size_t n = summary.count;
    if (n > 0) {
        summary.median = (errors[(n - 1) / 2] + errors[n / 2]) / 2;
        summary.within_95 = errors[(95 * n + 99) / 100 - 1];
    }
    return summary;
}
