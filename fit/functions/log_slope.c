#include "fit/functions/log_slope.h"

#include <math.h>

#define ERRORS_MAX    3.0 /* standard errors within which a growth agrees */
#define HALF_AN_ORDER 0.5

/* With its standard error; 0 and INFINITY of too few values. */
struct log_slope {
    double slope, error;
};

static struct log_slope log_slope_of(const struct ft_axis *axis, const double *y, size_t first)
{
    double count = 0, sum_x = 0, sum_y = 0, sum_xx = 0, sum_xy = 0, sum_yy = 0;
    for (size_t i = first; i < axis->count; i++) {
        if (y[i] <= 0)
            continue;
        double x = log(axis->n[i]), value = log(y[i]);
        count++;
        sum_x += x;
        sum_y += value;
        sum_xx += x * x;
        sum_xy += x * value;
        sum_yy += value * value;
    }
    if (count < 3)
        return (struct log_slope){0, INFINITY};
    double spread = sum_xx - sum_x * sum_x / count;
    double slope = (sum_xy - sum_x * sum_y / count) / spread;
    double residual = sum_yy - sum_y * sum_y / count - slope * slope * spread;
    return (struct log_slope){slope, sqrt(fmax(residual, 0) / (count - 2) / spread)};
}

bool ft_log_slope_agrees(const struct ft_axis *axis, const double *y, size_t first, size_t term)
{
    const struct log_slope own = log_slope_of(axis, y, first);
    return fabs(own.slope - ft_term_exponent(&axis->basis.terms[term])) <= ERRORS_MAX * own.error;
}

bool ft_log_slope_is_steeper(const struct ft_axis *axis, const double *y, size_t first, size_t term)
{
    const struct log_slope own = log_slope_of(axis, y, first);
    return own.slope > ft_term_exponent(&axis->basis.terms[term]) + HALF_AN_ORDER;
}
