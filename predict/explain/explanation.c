#include "predict/explain/explanation.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "predict/metrics/cycles.h"

const char *const ft_miss_pattern_names[FT_MISS_PATTERNS] = {
    "few", "cold", "conflict", "column", "outer", "between", "chain", "irregular", "capacity"};
const char *const ft_change_kind_names[FT_CHANGE_KINDS] = {
    "interchange", "tile", "pad", "shift", "fuse", "layout", "prefetch"};

enum ft_explained_limit ft_explained_limit_of(const char *limited_by)
{
    static const struct {
        const char *begins;
        enum ft_explained_limit limit;
    } limits[] = {{"recurrence", FT_LIMITED_BY_RECURRENCE},   {"streams", FT_LIMITED_BY_STREAMS},
                  {"store streams", FT_LIMITED_BY_STREAMS},   {"scattered", FT_LIMITED_BY_LATENCY},
                  {"load chains", FT_LIMITED_BY_LATENCY},     {"page walks", FT_LIMITED_BY_LATENCY},
                  {"page faults", FT_LIMITED_BY_PAGE_FAULTS}, {"", FT_LIMITED_BY_CORE}};
    size_t i = 0;
    if (!limited_by || !*limited_by)
        return FT_LIMITED_UNKNOWN;
    while (strncmp(limited_by, limits[i].begins, strlen(limits[i].begins)) != 0)
        i++;
    return limits[i].limit;
}

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

void ft_explained_misses_add(struct ft_explained_misses *misses, double cold, double full,
                             double in_sets)
{
    misses->misses += in_sets;
    misses->cold += fmin(cold, in_sets);
    misses->capacity += fmax(fmin(full, in_sets) - cold, 0);
    misses->conflict += fmax(in_sets - fmax(full, cold), 0);
}

double ft_explained_cost(const struct ft_explanation *explanation,
                         const struct ft_explained_misses *misses, size_t level)
{
    const struct ft_prediction *prediction = explanation->prediction;
    return misses->misses *
           ft_machine_miss_cycles(prediction->machine, level, prediction->dirty_memory);
}

uint32_t ft_changed_scope_of(const struct ft_scopes *scopes, uint32_t scope)
{
    while (scopes->scopes[scope].kind == FT_SCOPE_LOOP &&
           scopes->scopes[scopes->scopes[scope].parent].kind == FT_SCOPE_LOOP)
        scope = scopes->scopes[scope].parent;
    return scope;
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
