/*
 * Measured bandwidths of a machine by size and stride, as MultiMAPS measures them (Tikir et al., SC
 * 2007, section 1): from curves of `machine probe` or from text (docs/convolver.md, "Curves as
 * text"). A point that was measured several times is the mean of its runs.
 *
 * Errors name the file, and the line where it is text. Owned.
 */
#ifndef FT_MACHINES_BANDWIDTH_BANDWIDTH_POINTS_H
#define FT_MACHINES_BANDWIDTH_BANDWIDTH_POINTS_H

#include <stdio.h>

#include "formats/base/status.h"
#include "machines/bandwidth/bandwidth_function.h"

/* What a bandwidth may be; beyond, its unit is wrong. */
#define FT_BANDWIDTH_GB_PER_S_MIN 1e-4
#define FT_BANDWIDTH_GB_PER_S_MAX 1e5

struct ft_bandwidth_point {
    uint64_t size_bytes, stride_bytes; /* of the array; between accesses, or 0: Apex-MAP with */
    uint32_t length;                   /* elements of a run, and */
    double alpha;                      /* (machines/probe/apex_map.h) */
    double gb_per_s;                   /* the mean */
    uint32_t runs;
    uint32_t hit_rate_count; /* caches whose hit rates are known; 0: to be simulated */
    double hit_rates[FT_BANDWIDTH_LEVELS_MAX]; /* cumulative */
};

struct ft_bandwidth_points {
    struct ft_bandwidth_point *items; /* by stride, then by size */
    size_t count, capacity;
};

enum ft_point_kind { FT_POINTS_MULTIMAPS = 1, FT_POINTS_APEX_MAP = 2 };

/* Adds the points of a file that are of these kinds, a sum of ft_point_kind: of a probe those of
 * loads, and of Apex-MAP. */
int ft_bandwidth_points_read(struct ft_bandwidth_points *points, const char *path, unsigned kinds,
                             struct ft_diag *diag);
/* Adds a run: into the mean of the point of the same size and stride, or as a new one. */
int ft_bandwidth_points_add(struct ft_bandwidth_points *points,
                            const struct ft_bandwidth_point *point, struct ft_diag *diag);
void ft_bandwidth_points_fini(struct ft_bandwidth_points *points);

/* Text (curve_text.c), of comma-separated columns that the first line names; adds its points. path:
 * of the file, for errors. */
int ft_curve_text_read(struct ft_bandwidth_points *points, const char *path, FILE *file,
                       unsigned kinds, struct ft_diag *diag);

#endif
