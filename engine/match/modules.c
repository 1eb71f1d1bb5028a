#include "engine/match/modules.h"

#include <string.h>

static size_t library_name_length(const char *name)
{
    const char *so = strstr(name, ".so");
    return so ? (size_t)(so - name) : strlen(name);
}

bool ft_same_build(const struct ft_scope_module *a, const struct ft_scope_module *b)
{
    return *a->build_id && strcmp(a->build_id, b->build_id) == 0;
}

static bool same_name(const struct ft_scope_module *a, const struct ft_scope_module *b)
{
    return *a->name && strcmp(a->name, b->name) == 0;
}

static bool same_library(const struct ft_scope_module *a, const struct ft_scope_module *b)
{
    size_t length = library_name_length(a->name);
    return length && a->name[length] && length == library_name_length(b->name) &&
           strncmp(a->name, b->name, length) == 0;
}

static void
pair_modules(const struct ft_scopes *a, const struct ft_scopes *b, uint32_t *const modules[2],
             bool (*same)(const struct ft_scope_module *, const struct ft_scope_module *))
{
    for (uint32_t i = 0; i < a->module_count; i++)
        for (uint32_t j = 0; j < b->module_count && modules[0][i] == FT_NO_MODULE; j++)
            if (modules[1][j] == FT_NO_MODULE && same(&a->modules[i], &b->modules[j])) {
                modules[0][i] = j;
                modules[1][j] = i;
            }
}

uint32_t ft_program_module(const struct ft_scopes *scopes)
{
    for (uint32_t i = 0; i < scopes->module_count; i++)
        if (strcmp(scopes->modules[i].name, scopes->scopes[0].name) == 0)
            return i;
    return FT_NO_MODULE;
}

void ft_modules_match(const struct ft_scopes *a, const struct ft_scopes *b,
                      uint32_t *const modules[2])
{
    const uint32_t programs[2] = {ft_program_module(a), ft_program_module(b)};
    for (size_t i = 0; i < a->module_count; i++)
        modules[0][i] = FT_NO_MODULE;
    for (size_t i = 0; i < b->module_count; i++)
        modules[1][i] = FT_NO_MODULE;
    if (programs[0] != FT_NO_MODULE && programs[1] != FT_NO_MODULE) {
        modules[0][programs[0]] = programs[1];
        modules[1][programs[1]] = programs[0];
    }
    pair_modules(a, b, modules, ft_same_build);
    pair_modules(a, b, modules, same_name);
    pair_modules(a, b, modules, same_library);
}
