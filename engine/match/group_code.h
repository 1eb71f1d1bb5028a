/*
 * Groups of references that have the same code: in modules of one build by offset in the file, in
 * routines that were matched by the shape of their code by position in the routine. Code that runs
 * at one size only may add other references to a group, so each side is matched by itself, by the
 * heaviest reference that the other side has.
 */
#ifndef FT_ENGINE_MATCH_GROUP_CODE_H
#define FT_ENGINE_MATCH_GROUP_CODE_H

#include "engine/match/group_locations.h"
#include "engine/match/group_match.h"
#include "engine/match/scope_match.h"

/* Of groups that have no match yet. kind: FT_GROUP_CODE, or FT_GROUP_SHAPE: in routines that match
 * otherwise, and have the same shape, too. modules: as ft_modules_match gives them. */
int ft_groups_match_code(const struct ft_group_locations sides[2], uint32_t *const modules[2],
                         const struct ft_scope_matching *scopes, enum ft_group_match_kind kind,
                         struct ft_group_matching *matching, struct ft_diag *diag);

#endif
