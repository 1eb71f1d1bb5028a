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

void ft_error_mean(const double *values, size_t count, double *ret_mean, double *ret_deviation)
{
    double sum = 0, squares = 0;
    size_t known = 0;
    for (size_t i = 0; i < count; i++) {
        sum += isnan(values[i]) ? 0 : values[i];
        known += !isnan(values[i]);
    }
    const double mean = known > 0 ? sum / (double)known : NAN;
    for (size_t i = 0; i < count; i++)
        squares += isnan(values[i]) ? 0 : (values[i] - mean) * (values[i] - mean);
    *ret_mean = mean;
    *ret_deviation = known > 1 ? sqrt(squares / (double)(known - 1)) : NAN;
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
    ft_error_mean(errors, n, &summary.mean, &summary.deviation);
    if (n > 0) {
        summary.median = (errors[(n - 1) / 2] + errors[n / 2]) / 2;
        summary.within_95 = errors[(95 * n + 99) / 100 - 1];
    }
    return summary;
}
