/*
 * What the entries of several sizes have in common, before groups are made of it (match.h): parts,
 * which are references that belong together at all sizes, and scopes. There are two ways to them,
 * for one build at all sizes and for several builds.
 */
#ifndef FT_FIT_MATCHING_MATCHED_PARTS_H
#define FT_FIT_MATCHING_MATCHED_PARTS_H

#include <stdbool.h>

#include "formats/histograms/histograms.h"

#define FT_NO_PART UINT32_MAX

struct ft_matched_parts {
    size_t entry_count;
    uint32_t **part_of;        /* [entry][reference], or FT_NO_PART */
    uint32_t *first_reference; /* [part]: of the last entry; the part is in its scope */
    size_t part_count;
    uint32_t **scope_of; /* [entry][scope]: scope of the last entry, the nearest that contains it */
    bool **is_same;      /* [entry][scope]: it is that scope, not one inside it */
};

/* How many different files the program itself is over the sizes; 1 where that is not known. */
size_t ft_count_builds(const struct ft_histograms *const *entries, size_t count);

/* One build: references are the same by (build-id, offset, access index), scopes by (build-id,
 * kind, start offset); parts are the common refinement of the groups of each size: together only
 * where they are together at every size. */
int ft_parts_of_build(const struct ft_histograms *const *entries, size_t count,
                      struct ft_matched_parts *ret_parts, struct ft_diag *diag);

/* Of one build the scopes alone; no part is matched. */
int ft_scopes_of_build(const struct ft_histograms *const *entries, size_t count,
                       struct ft_matched_parts *ret_parts, struct ft_diag *diag);

/* Several builds, of sizes fixed when they were compiled: scopes and groups are the same by source
 * and structure, of each build and the next one; parts are groups that are the same through all of
 * them. Where several of a build are one of another (a loop and its remainder), they are one. */
int ft_parts_of_builds(const struct ft_histograms *const *entries, size_t count,
                       struct ft_matched_parts *ret_parts, struct ft_diag *diag);

/* Room for what all entries have, nothing of it matched. After a failure too, to be given to fini.
 */
int ft_matched_parts_init(struct ft_matched_parts *parts,
                          const struct ft_histograms *const *entries, size_t count,
                          struct ft_diag *diag);
void ft_matched_parts_fini(struct ft_matched_parts *parts);

#endif
