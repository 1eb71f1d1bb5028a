/*
 * Matches scopes of two traces that have the same code, whatever symbols and lines either side has:
 * a program and its stripped copy, or two runs of one build. A loop is identified by its header. A
 * side without lines may have several loops for one of the other, so each side is matched
 * separately.
 */
#ifndef FT_ENGINE_MATCH_SCOPE_CODE_H
#define FT_ENGINE_MATCH_SCOPE_CODE_H

#include "engine/match/matching.h"
#include "engine/match/modules.h"
#include "engine/match/scope_locations.h"

/* In modules of one build: by file offset. modules: from ft_modules_match. */
void ft_match_same_build(const struct ft_scope_locations sides[2], uint32_t *const modules[2],
                         struct ft_matching *matching, unsigned side);

/* In routines that were matched by the shape of their code: by the number of instructions from the
 * routine's start to the loop's header. False when out of memory. */
bool ft_match_same_shape(const struct ft_scope_locations sides[2], struct ft_matching *matching,
                         unsigned side);

#endif
