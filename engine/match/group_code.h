/*
 * Matches groups of references that have the same code: by file offset in modules of one build, by
 * position in the routine where routines were matched by the shape of their code. Code that runs at
 * one size only may add references to a group, so each side is matched separately, by its heaviest
 * reference that the other side has too.
 */
#ifndef FT_ENGINE_MATCH_GROUP_CODE_H
#define FT_ENGINE_MATCH_GROUP_CODE_H

#include "engine/match/group_locations.h"
#include "engine/match/matching.h"

/* Of groups that have no match yet. kind: FT_MATCH_CODE, or FT_MATCH_SHAPE: in routines that match
 * otherwise, and have the same shape, too. modules: as ft_modules_match gives them. */
int ft_groups_match_code(const struct ft_group_locations sides[2], uint32_t *const modules[2],
                         const struct ft_matching *scopes, enum ft_match_kind kind,
                         struct ft_matching *matching, struct ft_diag *diag);

#endif
