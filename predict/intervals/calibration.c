#include "predict/intervals/calibration.h"

#define KEPT   0.15 /* logarithm of the factor between value and end */
#define BEYOND 0.1  /* the share of what it is more that stays */

static double nearer(double value, double end)
{
    const double away = log(end / value);
    return isfinite(away) && fabs(away) > KEPT
               ? value * exp(copysign(KEPT + BEYOND * (fabs(away) - KEPT), away))
               : end;
}

void ft_interval_calibrate(double value, double resolution, struct ft_interval *interval)
{
    if (isnan(interval->low) || !(value > 0))
        return;
    interval->low = nearer(value, interval->low);
    interval->high = nearer(value, interval->high);
    interval->known = ft_interval_is_informative(value, interval->low, interval->high, resolution);
}
