/*
 * Which groups of references of two builds of a program are the same, in routines and loops that
 * are (scopes.h): those with the same code; those of the same line that touch the same data
 * and move alike; of the same line and data; of the same data that move alike, in their order;
 * those in the same location of routines with as many instructions that do the same; and those that
 * stand on the same line of the source elsewhere in the tree (docs/structure.md, "Matching").
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
