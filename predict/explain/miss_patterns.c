/*
 * The pattern of a group's misses in a level; then what changes of the code patterns suggest, the
 * dearest groups first.
 */
#include "predict/explain/miss_patterns.h"

#include <math.h>

#include "formats/base/array.h"
#include "formats/scopes/load_class.h"

#define FEW         0.05 /* of a level's misses in the scope */
#define FEW_COST    0.05 /* of what all misses of the scope cost */
#define PARTIAL_USE 0.75 /* of a line: less is worth another layout */

/* ---- patterns ---- */

static double line_bytes_of(const struct ft_explanation *explanation, size_t level)
{
    return (double)explanation->prediction->machine->levels[level].block_bytes;
}

/* The innermost loop in which a group moves within lines, if it moves across lines inside of it. */
static const struct ft_explained_loop *loop_along_lines(const struct ft_explained_group *group,
                                                        double line_bytes)
{
    const struct ft_explained_loop *moving = ft_explained_moving_loop(group);
    if (!moving || fabs(moving->stride_bytes) < line_bytes)
        return NULL;
    for (unsigned i = 0; i < group->loop_count; i++) {
        const double stride = fabs(group->loops[i].stride_bytes);
        if (group->loops[i].is_known && stride > 0 && stride < line_bytes)
            return &group->loops[i];
    }
    return NULL;
}

static enum ft_miss_pattern carried_pattern(const struct ft_explained_group *group,
                                            const struct ft_explained_misses *misses,
                                            double line_bytes)
{
    const struct ft_explained_loop *along = loop_along_lines(group, line_bytes);
    if (!misses->across)
        return misses->source == group->scope ? FT_MISSES_CAPACITY : FT_MISSES_BETWEEN;
    return along && along->scope == misses->carrier ? FT_MISSES_COLUMN : FT_MISSES_OUTER;
}

static enum ft_miss_pattern pattern_of(const struct ft_explanation *explanation,
                                       const struct ft_explained_group *group, size_t level)
{
    const struct ft_explained_misses *misses = &group->levels[level];
    const double line_bytes = line_bytes_of(explanation, level);
    if (misses->misses <= 0 || misses->misses < FEW * explanation->misses[level])
        return FT_MISSES_FEW;
    if (group->load_class == FT_LOAD_CHASING)
        return FT_MISSES_CHAIN;
    if (group->load_class == FT_LOAD_INDIRECT ||
        (!explanation->not_synthetic && !group->is_regular))
        return FT_MISSES_IRREGULAR;
    if (misses->cold >= misses->misses / 2)
        return FT_MISSES_COLD;
    if (misses->conflict >= misses->misses / 2)
        return FT_MISSES_CONFLICT;
    if (misses->has_carrier)
        return carried_pattern(group, misses, line_bytes);
    return loop_along_lines(group, line_bytes) ? FT_MISSES_COLUMN : FT_MISSES_CAPACITY;
}

void ft_miss_patterns_find(struct ft_explanation *explanation)
{
    const size_t levels = explanation->prediction->machine->level_count;
    for (size_t i = 0; i < explanation->group_count; i++)
        for (size_t level = 0; level < levels; level++)
            explanation->groups[i].levels[level].pattern =
                pattern_of(explanation, &explanation->groups[i], level);
}

/* ---- changes ---- */

struct suggesting {
    struct ft_explanation *explanation;
    size_t group, level;
    struct ft_diag *diag;
};

static const struct ft_explained_group *group_of(const struct suggesting *suggesting)
{
    return &suggesting->explanation->groups[suggesting->group];
}

static bool is_same(const struct ft_change *a, const struct ft_change *b)
{
    if (a->kind != b->kind || a->loop != b->loop || a->other != b->other ||
        a->row_bytes != b->row_bytes || a->tiled_count != b->tiled_count)
        return false;
    if ((a->kind == FT_CHANGE_LAYOUT || a->kind == FT_CHANGE_PREFETCH) && a->group != b->group)
        return false;
    for (unsigned i = 0; i < a->tiled_count; i++)
        if (a->tiled[i] != b->tiled[i])
            return false;
    return true;
}

static int add(const struct suggesting *suggesting, struct ft_change change)
{
    struct ft_explanation *explanation = suggesting->explanation;
    change.group = suggesting->group;
    change.level = suggesting->level;
    change.seconds_before = change.seconds_after = NAN;
    for (size_t i = 0; i < explanation->change_count; i++)
        if (is_same(&explanation->changes[i], &change))
            return FT_OK;
    if (!FT_RESERVE(explanation->changes, explanation->change_capacity,
                    explanation->change_count + 1))
        return ft_fail_memory(suggesting->diag, "an explanation");
    explanation->changes[explanation->change_count++] = change;
    return FT_OK;
}

static int suggest_interchange(const struct suggesting *suggesting)
{
    const struct ft_explained_loop *along = loop_along_lines(
        group_of(suggesting), line_bytes_of(suggesting->explanation, suggesting->level));
    return along ? add(suggesting,
                       (struct ft_change){.kind = FT_CHANGE_INTERCHANGE, .loop = along->scope})
                 : FT_OK;
}

/* Tiles of the loops inside another one in which the group moves. */
static int suggest_tiles_in(const struct suggesting *suggesting, unsigned around)
{
    const struct ft_explained_group *group = group_of(suggesting);
    struct ft_change change = {.kind = FT_CHANGE_TILE, .loop = group->loops[around].scope};
    for (unsigned i = around; i-- > 0;)
        if (group->loops[i].stride_bytes != 0 && change.tiled_count < FT_CHANGE_LOOPS_MAX)
            change.tiled[change.tiled_count++] = group->loops[i].scope;
    return change.tiled_count > 0 ? add(suggesting, change) : FT_OK;
}

/* Inside the loop that carries the reuse, and inside each in which all data come back; not across
 * calls. */
static int suggest_tiles(const struct suggesting *suggesting)
{
    const struct ft_explained_group *group = group_of(suggesting);
    const struct ft_explained_misses *misses = &group->levels[suggesting->level];
    const struct ft_scopes *scopes = &suggesting->explanation->prediction->model->scopes;
    for (unsigned i = 0; i < group->loop_count; i++) {
        const struct ft_explained_loop *loop = &group->loops[i];
        if (ft_scope_routine(scopes, loop->scope) != ft_scope_routine(scopes, group->scope))
            break;
        const bool carries =
            misses->has_carrier && misses->across && misses->carrier == loop->scope;
        if (carries || (loop->is_known && loop->stride_bytes == 0))
            FT_TRY(suggest_tiles_in(suggesting, i));
    }
    return FT_OK;
}

static int suggest_against_conflicts(const struct suggesting *suggesting)
{
    const struct ft_explained_group *group = group_of(suggesting);
    const double line_bytes = line_bytes_of(suggesting->explanation, suggesting->level);
    double row_bytes = INFINITY;
    for (unsigned i = 0; i < group->loop_count; i++)
        if (group->loops[i].is_known && fabs(group->loops[i].stride_bytes) >= line_bytes)
            row_bytes = fmin(row_bytes, fabs(group->loops[i].stride_bytes));
    FT_TRY(suggest_interchange(suggesting));
    FT_TRY(suggest_tiles(suggesting));
    if (isinf(row_bytes))
        return add(suggesting, (struct ft_change){.kind = FT_CHANGE_SHIFT});
    return add(suggesting,
               (struct ft_change){.kind = FT_CHANGE_PAD, .row_bytes = (uint64_t)row_bytes});
}

/* The scope that a scope is in, directly below another one. */
static uint32_t child_of(const struct ft_scopes *scopes, uint32_t scope, uint32_t parent)
{
    while (scope > 0 && scopes->scopes[scope].parent != parent)
        scope = scopes->scopes[scope].parent;
    return scope;
}

/* With the loop before, in the same scope. */
static int suggest_fusion(const struct suggesting *suggesting)
{
    const struct ft_scopes *scopes = &suggesting->explanation->prediction->model->scopes;
    const struct ft_explained_group *group = group_of(suggesting);
    const struct ft_explained_misses *misses = &group->levels[suggesting->level];
    const uint32_t here = child_of(scopes, group->scope, misses->carrier);
    const uint32_t before = child_of(scopes, misses->source, misses->carrier);
    if (here == 0 || before == 0 || here == before || scopes->scopes[here].kind != FT_SCOPE_LOOP ||
        scopes->scopes[before].kind != FT_SCOPE_LOOP)
        return FT_OK;
    return add(suggesting,
               (struct ft_change){.kind = FT_CHANGE_FUSE, .loop = here, .other = before});
}

static int suggest_for_pattern(const struct suggesting *suggesting)
{
    switch (group_of(suggesting)->levels[suggesting->level].pattern) {
    case FT_MISSES_COLUMN:
    case FT_MISSES_OUTER:
        FT_TRY(suggest_interchange(suggesting));
        return suggest_tiles(suggesting);
    case FT_MISSES_CONFLICT:
        return suggest_against_conflicts(suggesting);
    case FT_MISSES_BETWEEN:
        return suggest_fusion(suggesting);
    case FT_MISSES_IRREGULAR:
        return add(suggesting, (struct ft_change){.kind = FT_CHANGE_PREFETCH});
    default:
        return FT_OK;
    }
}

static int suggest(const struct suggesting *suggesting)
{
    const struct ft_explained_group *group = group_of(suggesting);
    const struct ft_machine *machine = suggesting->explanation->prediction->machine;
    FT_TRY(suggest_for_pattern(suggesting));
    if (suggesting->level < machine->cache_count && group->line_use < PARTIAL_USE)
        return add(suggesting, (struct ft_change){.kind = FT_CHANGE_LAYOUT});
    return FT_OK;
}

/* The next of all pairs of a group and a level, by falling cost, after one that costs so much. */
static bool next_expensive(const struct ft_explanation *explanation, struct suggesting *suggesting,
                           double *cost)
{
    const size_t levels = explanation->prediction->machine->level_count;
    const size_t last = suggesting->group * levels + suggesting->level;
    double best = -1;
    for (size_t pair = 0; pair < explanation->group_count * levels; pair++) {
        const struct ft_explained_misses *misses =
            &explanation->groups[pair / levels].levels[pair % levels];
        const double here = ft_explained_cost(explanation, misses, pair % levels);
        if (here > best && (here < *cost || (here == *cost && pair > last))) {
            best = here;
            suggesting->group = pair / levels;
            suggesting->level = pair % levels;
        }
    }
    *cost = best;
    return best > 0;
}

int ft_changes_suggest(struct ft_explanation *explanation, struct ft_diag *diag)
{
    const size_t levels = explanation->prediction->machine->level_count;
    struct suggesting suggesting = {.explanation = explanation, .diag = diag};
    double all = 0, cost = INFINITY;
    for (size_t i = 0; i < explanation->group_count; i++)
        for (size_t level = 0; level < levels; level++)
            all += ft_explained_cost(explanation, &explanation->groups[i].levels[level], level);
    while (next_expensive(explanation, &suggesting, &cost) && cost >= FEW_COST * all)
        FT_TRY(suggest(&suggesting));
    return FT_OK;
}
