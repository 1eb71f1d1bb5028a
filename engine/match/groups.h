/*
 * Matches the groups of references of two builds of a program within routines and loops that match
 * (scopes.h): by code; by line, data and strides; by line and data; by data and strides, in order;
 * by position in routines with the same instructions; and by source line elsewhere in the tree
 * (docs/structure.md, "Matching").
 */
#ifndef FT_ENGINE_MATCH_GROUPS_H
#define FT_ENGINE_MATCH_GROUPS_H

#include "engine/match/group_locations.h"
#include "engine/match/matching.h"

int ft_groups_match(const struct ft_group_locations sides[2], const struct ft_matching *scopes,
                    struct ft_matching *ret_matching, struct ft_diag *diag);

#endif
