/*
 * Where a curve over sizes rises: levels of a hierarchy, found from latencies alone. Steps are told
 * from noise, which only adds to latencies, by the largest rising curve below the points, by how
 * steeply that rises, and by how much. Pure.
 */
#ifndef FT_MACHINES_PROBE_KNEES_H
#define FT_MACHINES_PROBE_KNEES_H

#include <stddef.h>

#define FT_KNEES_MAX 8

struct ft_knee {
    double start, end;   /* of the rise, in the unit of x */
    double capacity;     /* the largest x at which little of the rise is done */
    double below, above; /* y before and behind it */
};

/* The largest curve below y that never falls, in place. */
void ft_make_rising(double *y, size_t count);

/* Rises of a curve with y above 0 that never falls (ft_make_rising) and ascending x; returns how
 * many, from the left. */
size_t ft_find_knees(const double *x, const double *y, size_t count,
                     struct ft_knee ret_knees[FT_KNEES_MAX]);

/* The rising curve at x: between points linear in the logarithms, outside as at the ends. */
double ft_curve_at(const double *x, const double *y, size_t count, double at);

#endif
