/*
 * Matches the scopes of two builds of a program, or of two runs of one build: modules by build-id
 * or name; routines and loops of one build by file offset; otherwise routines by name and file, and
 * loops by inlined calls, file, line and nesting (docs/structure.md, "Matching"). If several
 * candidates are equally good, none is matched.
 */
#ifndef FT_ENGINE_MATCH_SCOPES_H
#define FT_ENGINE_MATCH_SCOPES_H

#include "engine/match/matching.h"
#include "engine/match/scope_locations.h"

int ft_scopes_match(const struct ft_scope_locations sides[2], struct ft_matching *ret_matching,
                    struct ft_diag *diag);

#endif
