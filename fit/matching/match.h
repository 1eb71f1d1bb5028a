/*
 * The same code at several sizes: groups are what belongs together at all sizes, of one build or of
 * a build per size (matched_parts.h). References that a size lacks, and groups too small to matter,
 * go to the remainder of their routine, so that totals are conserved. Instruction fetches are in no
 * group: models are of accesses alone.
 *
 * Entries are ordered by size, ascending; the last one's scope tree is the model's.
 */
#ifndef FT_FIT_MATCHING_MATCH_H
#define FT_FIT_MATCHING_MATCH_H

#include <stdbool.h>

#include "formats/histograms/histograms.h"

#define FT_NO_GROUP UINT32_MAX

struct ft_matched_group {
    uint32_t scope; /* of the last entry's tree */
    bool rest;
    uint32_t first_reference; /* of the last entry; UINT32_MAX where none is */
};

struct ft_match {
    size_t entry_count;
    struct ft_matched_group *groups; /* by scope, then by first reference; joined ones
                                        (join_groups.h) in the first one's place */
    size_t group_count;
    uint32_t **group_of;  /* [entry][reference]: index into groups, FT_NO_GROUP of fetches */
    double matched_share; /* of the last entry's accesses */
    uint32_t **scope_of;  /* [entry][scope of the entry]: scope of the last entry, the
                             nearest that contains it */
    bool **is_same;       /* [entry][scope of the entry]: it is that scope itself */
    size_t build_count;   /* above 1: sizes are builds of their own */
};

int ft_match_init(struct ft_match *match, const struct ft_histograms *const *entries, size_t count,
                  struct ft_diag *diag);
/* Of entries of one build the scopes alone: there are no groups. */
int ft_match_scopes(struct ft_match *match, const struct ft_histograms *const *entries,
                    size_t count, struct ft_diag *diag);
void ft_match_fini(struct ft_match *match);

/* Puts all groups into one, the program's: one histogram in place of those of its groups, as Zhong
 * et al. (2007) model it. Misses are then not known by scope. */
void ft_match_join(struct ft_match *match, const struct ft_histograms *const *entries);

#endif
