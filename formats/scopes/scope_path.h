/*
 * The path of a scope from the program down, as other tools want it: names joined by "->", which
 * inside of names (C++) is "- >".
 */
#ifndef FT_FORMATS_SCOPES_SCOPE_PATH_H
#define FT_FORMATS_SCOPES_SCOPE_PATH_H

#include "formats/scopes/scopes.h"

/* "program->module->routine->loop at FILE:LINE"; the caller frees it. */
int ft_scope_path(const struct ft_scopes *scopes, uint32_t scope, char **ret_path,
                  struct ft_diag *diag);

#endif
