/*
 * By how much a reference moves in each of the loops around it, from its entry's groups, and which
 * reference stands for a group: the one with most accesses, since the others of it move alike.
 */
#ifndef FT_FIT_MATCHING_REFERENCE_STRIDES_H
#define FT_FIT_MATCHING_REFERENCE_STRIDES_H

#include "fit/matching/match.h"

#define FT_REFERENCE_LOOPS_MAX 8U /* around a reference: outer ones are not looked at */

/* Of each loop, the innermost first; FT_STRIDE_MIXED where it is no number. */
struct ft_reference_strides {
    size_t count;
    int64_t bytes[FT_REFERENCE_LOOPS_MAX];
};

struct ft_reference_strides ft_reference_strides_of(const struct ft_histograms *entry,
                                                    uint32_t reference);

/* heaviest: [group]: the reference with most accesses, or UINT32_MAX. */
void ft_heaviest_references(const struct ft_match *match, const struct ft_histograms *entry,
                            size_t index, uint32_t *heaviest);

#endif
