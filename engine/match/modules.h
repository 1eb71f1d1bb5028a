/*
 * Matches the modules of two builds of a program, or of two runs: the executable, whatever its
 * name; modules with the same build-id; modules with the same name; libraries with the same name up
 * to ".so". Each module matches at most one.
 */
#ifndef FT_ENGINE_MATCH_MODULES_H
#define FT_ENGINE_MATCH_MODULES_H

#include "formats/scopes/scopes.h"
#include "formats/x86/unit.h"

/* Whether both are one build, in which a file offset means the same code. */
bool ft_same_build(const struct ft_scope_module *a, const struct ft_scope_module *b);

/* The module of the executable, FT_NO_MODULE if none has its name. */
uint32_t ft_program_module(const struct ft_scopes *scopes);

/* modules[0][module of a]: that of b, or FT_NO_MODULE; modules[1] the other way. */
void ft_modules_match(const struct ft_scopes *a, const struct ft_scopes *b,
                      uint32_t *const modules[2]);

#endif
