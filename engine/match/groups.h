/*
 * Which groups of references of two builds of a program are the same, in routines and loops that
 * match (scopes.h): those with the same code; those of the same line, data and strides; of the same
 * line and data; of the same data and strides, in order; those at the same position of routines
 * with the same instructions; and those of the same source line elsewhere in the tree
 * (docs/structure.md, "Matching").
 */
#ifndef FT_ENGINE_MATCH_GROUPS_H
#define FT_ENGINE_MATCH_GROUPS_H

#include "engine/match/group_locations.h"
#include "engine/match/group_match.h"
#include "engine/match/scope_match.h"

int ft_groups_match(const struct ft_group_locations sides[2],
                    const struct ft_scope_matching *scopes, struct ft_group_matching *ret_matching,
                    struct ft_diag *diag);

#endif
