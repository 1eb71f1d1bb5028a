/*
 * Which scopes of two builds of a program, or of two runs of one build, are the same: modules by
 * build-id or name; routines and loops of one build by their code's offset in the file, otherwise
 * routines by name and file, and loops by inlined calls, file, line and nesting (docs/structure.md,
 * "Matching"). Where several candidates are equal the match is uncertain, and none is made.
 */
#ifndef FT_ENGINE_MATCH_SCOPES_H
#define FT_ENGINE_MATCH_SCOPES_H

#include "engine/match/scope_locations.h"
#include "engine/match/scope_match.h"

int ft_scopes_match(const struct ft_scope_locations sides[2],
                    struct ft_scope_matching *ret_matching, struct ft_diag *diag);

#endif
