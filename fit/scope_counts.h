/*
 * What each scope of the last entry's tree executes, exclusive of nested ones, at every size:
 * instructions, their mix, floating-point operations, and for loops and routines entries and
 * iterations; and of memory that is mapped again first touches.
 */
#ifndef FT_FIT_SCOPE_COUNTS_H
#define FT_FIT_SCOPE_COUNTS_H

#include "fit/matching/match.h"

enum ft_quantity {
    FT_QUANTITY_INSTRUCTIONS,
    FT_QUANTITY_FLOPS,
    FT_QUANTITY_ENTRIES,
    FT_QUANTITY_ITERATIONS,
    FT_QUANTITY_MIX, /* + enum ft_mix_class */
    FT_QUANTITY_COUNT = FT_QUANTITY_MIX + FT_MIX_COUNT
};

/* A malloc'ed array [scope][quantity][entry]. */
int ft_scope_counts_gather(const struct ft_match *match, const struct ft_histograms *const *entries,
                           double **ret_counts, struct ft_diag *diag);
/* Of remapped pages (formats/scopes/scopes.h) a malloc'ed array [scope][entry]; NULL where the last
 * entry has none. */
int ft_remapped_pages_gather(const struct ft_match *match,
                             const struct ft_histograms *const *entries, double **ret_counts,
                             struct ft_diag *diag);

#endif
