/*
 * Which modules of two builds of a program, or of two runs, are the same: the program itself,
 * whatever it is called; what has the same build-id; what has the same name; libraries of the same
 * name up to ".so". Each at most once.
 */
#ifndef FT_ENGINE_MATCH_MODULES_H
#define FT_ENGINE_MATCH_MODULES_H

#include "formats/scopes/scopes.h"
#include "formats/x86/unit.h"

/* One build: a place in the file is the same code. */
bool ft_same_build(const struct ft_scope_module *a, const struct ft_scope_module *b);

/* The module of the program itself, FT_NO_MODULE where none has its name. */
uint32_t ft_own_module(const struct ft_scopes *scopes);

/* modules[0][module of a]: that of b, or FT_NO_MODULE; modules[1] the other way. */
void ft_modules_match(const struct ft_scopes *a, const struct ft_scopes *b,
                      uint32_t *const modules[2]);

#endif
