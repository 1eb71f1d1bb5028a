/*
 * Intervals between points that rise faster than SLOPE a doubling of x are steep; steep ones with
 * less than GAP doublings between them are one rise; rises by less than RISE are none.
 */
#include "machines/probe/knees.h"

#include <math.h>

#define SLOPE 0.18 /* of log y a doubling: a fifth more */
#define GAP   0.6  /* doublings */
#define RISE  0.25 /* of log y: 28 % more */
#define DONE  0.15 /* of the rise, at the capacity */

void ft_make_rising(double *y, size_t count)
{
    for (size_t i = count; i-- > 1;)
        if (y[i - 1] > y[i])
            y[i - 1] = y[i];
}

double ft_curve_at(const double *x, const double *y, size_t count, double at)
{
    size_t i = 0;
    if (count == 0)
        return 0;
    while (i + 1 < count && x[i + 1] < at)
        i++;
    if (at <= x[i] || i + 1 == count)
        return y[i];
    const double share = log(at / x[i]) / log(x[i + 1] / x[i]);
    return exp(log(y[i]) + share * log(y[i + 1] / y[i]));
}

/* Points first and last of a rise. */
static void take_rise(const double *x, const double *y, size_t first, size_t last,
                      struct ft_knee *ret_knees, size_t *count)
{
    const double rise = log(y[last] / y[first]);
    size_t i = first;
    if (rise < RISE || *count == FT_KNEES_MAX)
        return;
    while (i < last && log(y[i + 1] / y[first]) <= DONE * rise)
        i++;
    ret_knees[(*count)++] = (struct ft_knee){
        .start = x[first],
        .end = x[last],
        .capacity = x[i],
        .below = y[first],
        .above = y[last],
    };
}

size_t ft_find_knees(const double *x, const double *y, size_t count,
                     struct ft_knee ret_knees[FT_KNEES_MAX])
{
    size_t knees = 0, first = 0, last = 0; /* last == 0: no rise is open */
    for (size_t i = 0; i + 1 < count; i++) {
        const double doublings = log2(x[i + 1] / x[i]);
        if (log(y[i + 1] / y[i]) <= SLOPE * doublings)
            continue;
        if (last > 0 && log2(x[i] / x[last]) > GAP) {
            take_rise(x, y, first, last, ret_knees, &knees);
            last = 0;
        }
        if (last == 0)
            first = i;
        last = i + 1;
    }
    /* The last point alone may as well be disturbed. */
    if (last > 0 && !(last == count - 1 && first + 1 == last))
        take_rise(x, y, first, last, ret_knees, &knees);
    return knees;
}
