/*
 * Scopes of two traces that have the same code, whatever symbols and lines either has: a program
 * and the same one stripped, or two runs of one. A loop is identified by its header. A side without
 * lines may have several loops for one, so each side is matched by itself.
 */
#ifndef FT_ENGINE_MATCH_SCOPE_CODE_H
#define FT_ENGINE_MATCH_SCOPE_CODE_H

#include "engine/match/modules.h"
#include "engine/match/scope_locations.h"
#include "engine/match/scope_match.h"

/* In modules of one build: the scope at the same offset of the other side. modules: from
 * ft_modules_match. */
void ft_match_same_build(const struct ft_scope_locations sides[2], uint32_t *const modules[2],
                         struct ft_scope_matching *matching, unsigned side);

/* In routines that were matched by the shape of their code: the loop whose header is as many
 * instructions into the routine. False when out of memory. */
bool ft_match_same_shape(const struct ft_scope_locations sides[2],
                         struct ft_scope_matching *matching, unsigned side);

#endif
