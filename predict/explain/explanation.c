#include "predict/explain/explanation.h"

#include <stdlib.h>

#include "predict/metrics/cycles.h"

const char *const ft_miss_pattern_names[FT_MISS_PATTERNS] = {
    "few", "cold", "conflict", "column", "outer", "between", "chain", "irregular", "capacity"};
const char *const ft_change_kind_names[FT_CHANGE_KINDS] = {
    "interchange", "tile", "pad", "shift", "fuse", "layout", "prefetch"};

void ft_explanation_fini(struct ft_explanation *explanation)
{
    for (size_t i = 0; i < explanation->group_count; i++)
        free(explanation->groups[i].levels);
    for (size_t i = 0; i < explanation->change_count; i++) {
        free(explanation->changes[i].before);
        free(explanation->changes[i].after);
    }
    free(explanation->groups);
    free(explanation->changes);
    free(explanation->misses);
    *explanation = (struct ft_explanation){0};
}

double ft_explained_cost(const struct ft_explanation *explanation,
                         const struct ft_explained_misses *misses, size_t level)
{
    const struct ft_prediction *prediction = explanation->prediction;
    return misses->misses *
           ft_machine_miss_cycles(prediction->machine, level, prediction->dirty_memory);
}

bool ft_scope_is_inside(const struct ft_scopes *scopes, uint32_t scope, uint32_t around)
{
    while (scope != around && scope > 0)
        scope = scopes->scopes[scope].parent;
    return scope == around;
}

const struct ft_explained_loop *ft_explained_loop_of(const struct ft_explained_group *group,
                                                     uint32_t scope)
{
    for (unsigned i = 0; i < group->loop_count; i++)
        if (group->loops[i].scope == scope)
            return &group->loops[i];
    return NULL;
}

const struct ft_explained_loop *ft_explained_moving_loop(const struct ft_explained_group *group)
{
    for (unsigned i = 0; i < group->loop_count; i++)
        if (group->loops[i].is_known && group->loops[i].stride_bytes != 0)
            return &group->loops[i];
    return NULL;
}
