/*
 * Selection: the scopes are sorted by weight, the first ones are marked, and the tree is walked
 * depth first over the marked ones. Weights are inclusive, so the parent of a marked scope is
 * marked too.
 */
#include "formats/commands/scope_report.h"

#include <stdlib.h>
#include <string.h>

#include "formats/base/file_name.h"

struct weighed {
    double weight;
    uint32_t scope;
};

/* Heavier first; parents come before children of the same weight. */
static int compare(const void *left, const void *right)
{
    const struct weighed *a = left, *b = right;
    if (a->weight != b->weight)
        return a->weight > b->weight ? -1 : 1;
    return a->scope < b->scope ? -1 : a->scope > b->scope;
}

static bool is_shown(const struct ft_scope *scope)
{
    return scope->kind == FT_SCOPE_ROUTINE || scope->kind == FT_SCOPE_LOOP;
}

struct walk {
    const struct ft_scopes *scopes;
    const struct weighed *chosen; /* by weight */
    size_t chosen_count;
    uint32_t *list;
    size_t count;
};

/* Appends the chosen routines (under no scope) or the chosen loops under `parent`. */
static void append_children(struct walk *walk, const uint32_t *parent)
{
    for (size_t i = 0; i < walk->chosen_count; i++) {
        uint32_t index = walk->chosen[i].scope;
        const struct ft_scope *scope = &walk->scopes->scopes[index];
        bool nested = is_shown(&walk->scopes->scopes[scope->parent]);
        if (parent ? nested && scope->parent == *parent : !nested) {
            walk->list[walk->count++] = index;
            append_children(walk, &index);
        }
    }
}

int ft_scopes_select(const struct ft_scopes *scopes, const double *weights, size_t limit,
                     uint32_t **ret_list, size_t *ret_count, struct ft_diag *diag)
{
    struct weighed *all = calloc(scopes->scope_count + 1, sizeof *all);
    uint32_t *list = calloc(scopes->scope_count + 1, sizeof *list);
    if (!all || !list) {
        free(all);
        free(list);
        return ft_fail_memory(diag, "a list of scopes");
    }
    size_t count = 0;
    for (uint32_t i = 0; i < scopes->scope_count; i++)
        if (is_shown(&scopes->scopes[i]) && weights[i] > 0)
            all[count++] = (struct weighed){weights[i], i};
    qsort(all, count, sizeof *all, compare);
    struct walk walk = {scopes, all, count < limit ? count : limit, list, 0};
    append_children(&walk, NULL);
    free(all);
    *ret_list = list;
    *ret_count = walk.count;
    return FT_OK;
}

static const char *module_name(const struct ft_scopes *scopes, const struct ft_scope *scope)
{
    return scope->module < scopes->module_count ? scopes->modules[scope->module].name : "";
}

void ft_scope_columns(struct ft_table *table, bool csv)
{
    if (!csv) {
        ft_table_column(table, "routine, loop", "name", false);
        ft_table_column(table, "lines", "lines", false);
        return;
    }
    static const char *const keys[] = {"kind",       "name",      "module", "file",
                                       "first_line", "last_line", "depth",  "inlined"};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        ft_table_column(table, keys[i], keys[i], false);
}

void ft_scope_cells(struct ft_table *table, bool csv, const struct ft_scopes *scopes,
                    uint32_t index)
{
    const struct ft_scope *scope = &scopes->scopes[index];
    if (csv) {
        ft_table_text(table, ft_scope_kind_names[scope->kind]);
        ft_table_text(table, scope->name);
        ft_table_text(table, module_name(scopes, scope));
        ft_table_text(table, scope->file);
        ft_table_format(table, "%u", scope->first_line);
        ft_table_format(table, "%u", scope->last_line);
        ft_table_format(table, "%u", scope->loop_depth);
        ft_scope_inlined_cell(table, scopes, index);
        return;
    }
    const char *file = ft_file_name(scope->file);
    bool has_lines = file[0] && scope->first_line;
    if (scope->kind == FT_SCOPE_ROUTINE && module_name(scopes, scope)[0])
        ft_table_format(table, "%s (%s)", scope->name, module_name(scopes, scope));
    else if (scope->kind == FT_SCOPE_ROUTINE)
        ft_table_text(table, scope->name);
    else
        ft_table_format(table, "%*s%s", 2 * scope->loop_depth, "",
                        has_lines ? "loop" : scope->name);
    if (!has_lines)
        ft_table_empty(table);
    else if (scope->first_line == scope->last_line)
        ft_table_format(table, "%s:%u", file, scope->first_line);
    else
        ft_table_format(table, "%s:%u-%u", file, scope->first_line, scope->last_line);
}

/* ---- inlined calls ---- */

bool ft_scope_inlined_column(struct ft_table *table, const struct ft_scopes *scopes,
                             const uint32_t *list, size_t count)
{
    const struct ft_inlined_call *calls;
    for (size_t i = 0; i < count; i++)
        if (ft_scope_inlined(scopes, list[i], &calls)) {
            ft_table_column(table, "inlined", "inlined", false);
            return true;
        }
    return false;
}

void ft_scope_inlined_cell(struct ft_table *table, const struct ft_scopes *scopes, uint32_t scope)
{
    const struct ft_inlined_call *calls;
    char *text = NULL;
    size_t bytes, count = ft_scope_inlined(scopes, scope, &calls);
    FILE *stream = count ? open_memstream(&text, &bytes) : NULL;
    for (size_t i = count; stream && i-- > 0;)
        fprintf(stream, "%s at %s:%u%s", calls[i].name, ft_file_name(calls[i].call_file),
                calls[i].call_line, i ? ", " : "");
    if (stream)
        fclose(stream);
    ft_table_text(table, text ? text : "");
    free(text);
}

static json_t *inlined_json(const struct ft_scopes *scopes, uint32_t scope)
{
    const struct ft_inlined_call *calls;
    size_t count = ft_scope_inlined(scopes, scope, &calls);
    json_t *list = json_array();
    for (size_t i = 0; i < count; i++)
        ft_json_append(&list, json_pack("{s:o, s:o, s:I}", "name", ft_json_text(calls[i].name),
                                        "call_file", ft_json_text(calls[i].call_file), "call_line",
                                        (json_int_t)calls[i].call_line));
    return list;
}

json_t *ft_scope_json(const struct ft_scopes *scopes, uint32_t index)
{
    const struct ft_scope *scope = &scopes->scopes[index];
    json_t *json = json_pack(
        "{s:s, s:o, s:o, s:o, s:I, s:I, s:i}", "kind", ft_scope_kind_names[scope->kind], "name",
        ft_json_text(scope->name), "module", ft_json_text(module_name(scopes, scope)), "file",
        ft_json_text(scope->file), "first_line", (json_int_t)scope->first_line, "last_line",
        (json_int_t)scope->last_line, "depth", (int)scope->loop_depth);
    return scope->kind == FT_SCOPE_LOOP
               ? ft_json_merge(json, json_pack("{s:o}", "inlined", inlined_json(scopes, index)))
               : json;
}
