/*
 * CSV: a row for the program, or the part asked about, and for each routine and loop that changes.
 * JSON: the same, both sides, and limits.
 */
#include <math.h>
#include <string.h>

#include "formats/cli/table.h"
#include "formats/commands/scope_report.h"
#include "machines/commands/level_report.h"
#include "predict/commands/compared_cells.h"
#include "predict/commands/diff/document.h"
#include "predict/commands/interval_data.h"

static const char *const sides[2] = {"first", "second"};

static size_t shown_count(const struct ft_diff_document *document)
{
    return document->row_count < document->limit ? document->row_count : document->limit;
}

/* The scope that stands for a row: the second side's, if there is one. */
static uint32_t scope_of(const struct ft_diff *diff, uint32_t row, unsigned *ret_side)
{
    *ret_side = row == FT_NO_ROW || diff->rows[row].scopes[1] != FT_NO_MATCH;
    return row == FT_NO_ROW ? 0 : diff->rows[row].scopes[*ret_side];
}

/* ---- CSV ---- */

static void add_columns(struct ft_table *table, const struct ft_diff_document *document)
{
    const struct ft_diff_metrics *metrics = document->diff->metrics;
    ft_table_column(table, "in", "in", false);
    ft_table_column(table, "matched_by", "matched_by", false);
    ft_scope_columns(table, true);
    for (size_t i = 0; i < metrics->count; i++) {
        char name[FT_DIFF_METRIC_TEXT];
        ft_diff_metric_name(name, &metrics->items[i]);
        for (unsigned side = 0; side < 2; side++)
            ft_compared_columns(table, name, sides[side]);
        ft_key_column(table, name, "relative_change");
        for (unsigned side = 0; side < 2; side++) {
            char what[32];
            snprintf(what, sizeof what, "%s_exclusive", sides[side]);
            ft_key_column(table, name, what);
        }
    }
}

static void add_row(struct ft_table *table, const struct ft_diff_document *document, uint32_t row)
{
    const struct ft_diff *diff = document->diff;
    unsigned from;
    const uint32_t scope = scope_of(diff, row, &from);
    const struct ft_diff_row *of = row == FT_NO_ROW ? NULL : &diff->rows[row];
    ft_table_text(table, of && of->counts[0] == 0   ? sides[1]
                         : of && of->counts[1] == 0 ? sides[0]
                                                    : "both");
    ft_table_text(table, of ? ft_match_kind_names[of->kind] : "");
    ft_scope_cells(table, true, diff->sides[from].scopes, scope);
    for (size_t i = 0; i < diff->metrics->count; i++) {
        struct ft_compared_value values[2];
        ft_diff_inclusive(diff, row, i, values);
        for (unsigned side = 0; side < 2; side++)
            ft_compared_cells(table, &values[side]);
        ft_table_end(table, ft_change_of(values, diff->alike).relative.value);
        for (unsigned side = 0; side < 2; side++)
            ft_table_end(table, row == FT_NO_ROW ? diff->sides[side].exclusive[i]
                                                 : ft_diff_exclusive(diff, row, side, i));
    }
}

int ft_diff_csv(const struct ft_diff_document *document, FILE *stream, struct ft_diag *diag)
{
    struct ft_table *table = ft_table_create();
    if (!table)
        return ft_fail_memory(diag, "a table");
    add_columns(table, document);
    add_row(table, document, document->within);
    for (size_t i = 0; i < shown_count(document); i++)
        if (document->rows[i] != document->within)
            add_row(table, document, document->rows[i]);
    int status = ft_table_write(table, stream, true, diag);
    ft_table_destroy(table);
    return status;
}

/* ---- JSON ---- */

json_t *ft_diff_side_json(const struct ft_diff_source *source)
{
    static const char *const kinds[] = {
        [FT_FILE_TRACE] = "trace", [FT_FILE_HISTOGRAMS] = "histograms", [FT_FILE_MODEL] = "model"};
    return json_pack("{s:o, s:o, s:s, s:o, s:o, s:o}", "file", ft_json_text(source->path), "label",
                     ft_json_text(source->label), "kind", kinds[source->kind], "program",
                     ft_json_text(ft_diff_source_program(source)), "parameters",
                     ft_diff_source_point_json(source), "machine",
                     ft_json_text(source->has_machine ? source->machine.name : NULL));
}

/* Of a row, or of the program. */
static json_t *metrics_json(const struct ft_diff *diff, uint32_t row)
{
    json_t *list = json_array();
    for (size_t i = 0; i < diff->metrics->count; i++) {
        char name[FT_DIFF_METRIC_TEXT];
        struct ft_compared_value values[2];
        ft_diff_inclusive(diff, row, i, values);
        const struct ft_change change = ft_change_of(values, diff->alike);
        json_t *entry = json_pack(
            "{s:o}", "metric", ft_json_text(ft_diff_metric_name(name, &diff->metrics->items[i])));
        for (unsigned side = 0; side < 2; side++)
            entry = ft_json_merge(entry, ft_compared_json(sides[side], &values[side]));
        entry = ft_json_merge(entry, ft_compared_json("change", &change.absolute));
        entry = ft_json_merge(entry, ft_compared_json("relative_change", &change.relative));
        if (row != FT_NO_ROW)
            entry =
                ft_json_merge(entry, json_pack("{s:o, s:o}", "first_exclusive",
                                               ft_json_number(ft_diff_exclusive(diff, row, 0, i)),
                                               "second_exclusive",
                                               ft_json_number(ft_diff_exclusive(diff, row, 1, i))));
        ft_json_append(&list, entry);
    }
    return list;
}

static json_t *scope_json(const struct ft_diff *diff, uint32_t row, unsigned side)
{
    const uint32_t scope = diff->rows[row].scopes[side];
    return scope == FT_NO_MATCH ? json_null() : ft_scope_json(diff->sides[side].scopes, scope);
}

static json_t *row_json(const struct ft_diff *diff, uint32_t row)
{
    const struct ft_diff_row *of = &diff->rows[row];
    return json_pack("{s:o, s:o, s:o, s:o}", "first", scope_json(diff, row, 0), "second",
                     scope_json(diff, row, 1), "matched_by",
                     of->kind == FT_MATCH_NONE ? json_null()
                                               : json_string(ft_match_kind_names[of->kind]),
                     "metrics", metrics_json(diff, row));
}

json_t *ft_diff_limit_json(const struct ft_diff_document *document, size_t index)
{
    const struct ft_diff_limit *limit = &document->limits[index];
    const struct ft_verdict *verdict = &document->verdicts[index];
    return ft_json_merge(
        json_pack("{s:o, s:o, s:o}", "limit", ft_json_text(limit->text), "holds",
                  verdict->is_known ? json_boolean(verdict->holds) : json_null(), "sure",
                  verdict->is_known && !isnan(verdict->judged.low) ? json_boolean(verdict->is_sure)
                                                                   : json_null()),
        ft_compared_json("judged", &verdict->judged));
}

int ft_diff_json(const struct ft_diff_document *document, FILE *stream, struct ft_diag *diag)
{
    const struct ft_diff *diff = document->diff;
    char name[FT_DIFF_METRIC_TEXT];
    json_t *loops = json_array(), *limits = json_array();
    for (size_t i = 0; i < shown_count(document); i++)
        ft_json_append(&loops, row_json(diff, document->rows[i]));
    for (size_t i = 0; i < document->limit_count; i++)
        ft_json_append(&limits, ft_diff_limit_json(document, i));
    return ft_json_write(
        json_pack(
            "{s:o, s:o, s:o, s:o, s:[o, o], s:o, s:o, s:I, s:I, s:o}", "first",
            ft_diff_side_json(&document->sources[0]), "second",
            ft_diff_side_json(&document->sources[1]), "sorted_by",
            ft_json_text(ft_diff_metric_name(name, &diff->metrics->items[document->sorted_by])),
            "in", ft_json_text(document->in), "related", ft_json_number(diff->related[0]),
            ft_json_number(diff->related[1]), "metrics", metrics_json(diff, document->within),
            "loops", loops, "only_first", (json_int_t)ft_diff_count_only(document, 0),
            "only_second", (json_int_t)ft_diff_count_only(document, 1), "limits", limits),
        stream, diag);
}
