/*
 * Measurements of histograms at their sizes in the JSON Lines format of Extra-P, whose models they
 * are input of (extra-p/extrap, docs/file-formats.md): one line a size, scope and metric.
 *
 * Scopes are paths from the program to the loop, joined by "->"; values are exclusive, of the scope
 * without those in it, as Extra-P reads other profiles. Scopes of one path count together; one that
 * a size does not have counts 0 there. Several traces of one size are repetitions.
 */
#ifndef FT_FORMATS_COMMANDS_EXTRAP_EXPORT_H
#define FT_FORMATS_COMMANDS_EXTRAP_EXPORT_H

#include <stdio.h>

#include "formats/histograms/histograms.h"

#define FT_EXTRAP_CAPACITIES_MAX 16
struct ft_extrap_capacities {
    size_t count;
    uint64_t bytes[FT_EXTRAP_CAPACITIES_MAX];
};

/* Metrics: accesses, instructions, flops, entries and iterations of loops, calls of routines; for
 * each block size cold touches, and misses of fully associative LRU caches of these capacities
 * (bytes; those below a block are left out); of the program the footprint in blocks. Fails with
 * FT_ERROR_USAGE where a trace has no parameters, or other ones than the first. */
int ft_extrap_write(const struct ft_histogram_file *file, const char *path,
                    const struct ft_extrap_capacities *capacities, FILE *stream,
                    struct ft_diag *diag);

#endif
