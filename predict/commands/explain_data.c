/* An explanation as JSON. */
#include <math.h>

#include "formats/cli/json.h"
#include "predict/commands/explain_report.h"
#include "predict/shared_levels.h"

static json_t *scope_json(const struct ft_explanation *explanation, uint32_t index)
{
    const struct ft_scope *scope = &explanation->prediction->model->scopes.scopes[index];
    return json_pack("{s:s, s:o, s:o, s:i}", "kind", ft_scope_kind_names[scope->kind], "name",
                     ft_json_text(scope->name), "file", ft_json_text(scope->file), "first_line",
                     (int)scope->first_line);
}

static const char *level_name(const struct ft_explanation *explanation, size_t level)
{
    return explanation->prediction->machine->levels[level].name;
}

static json_t *misses_json(const struct ft_explanation *explanation,
                           const struct ft_explained_misses *misses, size_t level)
{
    json_t *object = json_pack(
        "{s:o, s:o, s:o, s:o, s:o, s:o, s:s}", "name", ft_json_text(level_name(explanation, level)),
        "misses", ft_json_number(misses->misses), "cold", ft_json_number(misses->cold), "capacity",
        ft_json_number(misses->capacity), "conflict", ft_json_number(misses->conflict), "since",
        ft_json_number(misses->since), "pattern", ft_miss_pattern_names[misses->pattern]);
    if (!misses->has_carrier)
        return object;
    return ft_json_merge(object, json_pack("{s:o, s:b, s:o, s:o}", "carrier",
                                           scope_json(explanation, misses->carrier),
                                           "across_iterations", misses->across, "source",
                                           scope_json(explanation, misses->source), "carried_share",
                                           ft_json_number(misses->carried_share)));
}

static json_t *loops_json(const struct ft_explanation *explanation,
                          const struct ft_explained_group *group)
{
    json_t *loops = json_array();
    for (unsigned i = 0; i < group->loop_count; i++) {
        const struct ft_explained_loop *loop = &group->loops[i];
        ft_json_append(&loops, json_pack("{s:o, s:o, s:o, s:o}", "scope",
                                         scope_json(explanation, loop->scope), "iterations",
                                         ft_json_number(loop->iterations), "stride_bytes",
                                         ft_json_number(loop->is_known ? loop->stride_bytes : NAN),
                                         "stride_power",
                                         loop->follows ? json_integer(loop->power) : json_null()));
    }
    return loops;
}

static json_t *group_json(const struct ft_explanation *explanation,
                          const struct ft_explained_group *group)
{
    json_t *levels = json_array();
    for (size_t i = 0; i < explanation->prediction->machine->level_count; i++)
        ft_json_append(&levels, misses_json(explanation, &group->levels[i], i));
    return json_pack(
        "{s:o, s:i, s:i, s:i, s:b, s:b, s:o, s:o, s:o, s:o, s:o}", "scope",
        scope_json(explanation, group->scope), "line", (int)group->line, "references",
        (int)group->reference_count, "access_bytes", (int)group->size_bytes, "loads", group->loads,
        "stores", group->stores, "accesses", ft_json_number(group->accesses), "heap_block_bytes",
        ft_json_number(group->block_bytes), "line_use", ft_json_number(group->line_use), "loops",
        loops_json(explanation, group), "levels", levels);
}

static json_t *forecast_json(const struct ft_explanation *explanation,
                             const struct ft_change *change)
{
    json_t *levels = json_array();
    for (size_t i = 0; i < explanation->prediction->machine->level_count; i++)
        ft_json_append(&levels, json_pack("{s:o, s:o, s:o}", "name",
                                          ft_json_text(level_name(explanation, i)), "before",
                                          ft_json_number(change->before[i]), "after",
                                          ft_json_number(change->after[i])));
    return json_pack("{s:b, s:o, s:o, s:o}", "gains", change->gains, "levels", levels,
                     "seconds_before", ft_json_number(change->seconds_before),
                     "seconds_after_at_most", ft_json_number(change->seconds_after));
}

static json_t *change_json(const struct ft_explanation *explanation, const struct ft_change *change)
{
    const bool has_loop = change->kind == FT_CHANGE_INTERCHANGE || change->kind == FT_CHANGE_TILE ||
                          change->kind == FT_CHANGE_FUSE;
    json_t *tiled = json_array();
    for (unsigned i = 0; i < change->tiled_count; i++)
        ft_json_append(&tiled, scope_json(explanation, change->tiled[i]));
    return json_pack(
        "{s:s, s:i, s:o, s:o, s:o, s:o, s:I, s:I, s:I, s:o}", "kind",
        ft_change_kind_names[change->kind], "group", (int)change->group, "level",
        ft_json_text(level_name(explanation, change->level)), "loop",
        has_loop ? scope_json(explanation, change->loop) : json_null(), "other_loop",
        change->kind == FT_CHANGE_FUSE ? scope_json(explanation, change->other) : json_null(),
        "tiled_loops", tiled, "tile_iterations", (json_int_t)change->tile, "row_bytes",
        (json_int_t)change->row_bytes, "pad_bytes", (json_int_t)change->pad_bytes, "forecast",
        change->is_forecast ? forecast_json(explanation, change) : json_null());
}

/* The levels that threads share, of which groups say nothing. */
static json_t *shared_json(const struct ft_prediction *prediction)
{
    json_t *levels = json_array();
    for (size_t i = 0; i < prediction->machine->level_count; i++)
        if (ft_model_shared_by(prediction->model, prediction->machine->levels[i].shared_by,
                               prediction->threads.count) != prediction->model)
            ft_json_append(&levels, ft_json_text(prediction->machine->levels[i].name));
    return levels;
}

int ft_explanation_json(const struct ft_explanation *explanation, FILE *stream,
                        struct ft_diag *diag)
{
    const struct ft_prediction *prediction = explanation->prediction;
    json_t *groups = json_array(), *changes = json_array();
    for (size_t i = 0; i < explanation->group_count; i++)
        ft_json_append(&groups, group_json(explanation, &explanation->groups[i]));
    for (size_t i = 0; i < explanation->change_count; i++)
        ft_json_append(&changes, change_json(explanation, &explanation->changes[i]));
    return ft_json_write(
        json_pack(
            "{s:f, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:b, s:o, s:o, s:o, s:o, s:o, s:o, s:o}",
            "threads", prediction->threads.count, "shared_otherwise", shared_json(prediction),
            "program", ft_json_text(prediction->model->program), "machine",
            ft_json_text(prediction->machine->name), "parameter",
            ft_json_text(prediction->model->parameter), "at", ft_json_number(prediction->n),
            "scope", scope_json(explanation, explanation->scope), "changed_scope",
            scope_json(explanation, explanation->changed_scope), "synthesised",
            explanation->not_synthetic == NULL, "accesses", ft_json_number(explanation->accesses),
            "seconds", ft_json_number(explanation->has_time ? explanation->seconds : NAN),
            "core_seconds", ft_json_number(explanation->has_time ? explanation->core_seconds : NAN),
            "page_fault_seconds",
            ft_json_number(explanation->has_time ? explanation->page_fault_seconds : NAN),
            "limited_by", ft_json_text(explanation->limited_by), "groups", groups, "changes",
            changes),
        stream, diag);
}
