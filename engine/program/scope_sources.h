/*
 * Source files of a scope tree, from those that its trace keeps.
 */
#ifndef FT_ENGINE_PROGRAM_SCOPE_SOURCES_H
#define FT_ENGINE_PROGRAM_SCOPE_SOURCES_H

#include "formats/scopes/scopes.h"
#include "formats/trace/trace.h"

/* Copies the files that routines and loops name into the tree, which has none. */
int ft_scope_sources_copy(const struct ft_trace *trace, struct ft_scopes *scopes,
                          struct ft_diag *diag);

#endif
