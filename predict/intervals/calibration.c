#include "predict/intervals/calibration.h"

#define KEPT      0.15 /* logarithm of the factor between value and end */
#define BEYOND    0.1  /* the share of what it is more that stays */
#define SIZES_MIN 5U

static double nearer(double value, double end)
{
    const double away = log(end / value);
    return isfinite(away) && fabs(away) > KEPT
               ? value * exp(copysign(KEPT + BEYOND * (fabs(away) - KEPT), away))
               : end;
}

void ft_interval_calibrate(enum ft_spread_kind kind, size_t size_count, double value,
                           double resolution, struct ft_interval *interval)
{
    if (kind == FT_SPREAD_TIME || kind == FT_SPREAD_CAPACITY || size_count < SIZES_MIN ||
        isnan(interval->low) || !(value > 0))
        return;
    interval->low = nearer(value, interval->low);
    interval->high = nearer(value, interval->high);
    interval->known = ft_interval_is_informative(value, interval->low, interval->high, resolution);
}
