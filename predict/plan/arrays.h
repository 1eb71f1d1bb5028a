/*
 * The arrays of a program, and the sizes at which they pass the C library's mmap threshold
 * (mallopt(3), M_MMAP_THRESHOLD). glibc's malloc places smaller blocks one after the other and maps
 * larger ones separately: those begin at other offsets in their lines and pages, share no page, and
 * get new addresses when they are freed and allocated again. Functions fitted to sizes on both
 * sides describe neither.
 *
 * Plain values.
 */
#ifndef FT_PREDICT_PLAN_ARRAYS_H
#define FT_PREDICT_PLAN_ARRAYS_H

#include <stddef.h>
#include <stdint.h>

#include "formats/trace/trace.h"

#define FT_ARRAYS_MAX           16U
#define FT_MMAP_THRESHOLD_BYTES (UINT64_C(128) << 10)

/* The distinct sizes in bytes of the largest blocks that a run allocated, descending. */
struct ft_arrays {
    uint64_t bytes[FT_ARRAYS_MAX];
    size_t count;
};

int ft_arrays_read(struct ft_trace *trace, struct ft_arrays *ret_arrays, struct ft_diag *diag);

/* The sizes n, ascending and at most largest_n, from which on arrays reach the threshold; returns
 * how many. arrays: of runs at the three sizes of `n`, ascending. Arrays whose growth these three
 * do not determine are left out. */
size_t ft_arrays_mapped_from(const struct ft_arrays arrays[3], const double n[3], double largest_n,
                             double ret_sizes[FT_ARRAYS_MAX]);

#endif
