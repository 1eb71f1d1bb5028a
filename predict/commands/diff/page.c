/*
 * The document of a page: both sides, the answer, metrics of the program or of what was asked
 * about, rows that change with those around them, limits, and source lines of both sides. Values
 * are columns in the order of the metrics; an estimate is [value, low, high] or a number, and null
 * is unknown.
 */
#include <stdlib.h>
#include <string.h>

#include "formats/commands/scope_report.h"
#include "predict/commands/diff/document.h"
#include "predict/commands/page/page.h"
#include "predict/commands/page/sources.h"

#define DOCUMENT_VERSION 1
#define ROWS_KEPT        1000U /* without --loops */

/* ---- rows that are shown ---- */

/* The row around a row, of the side that it is shown by; FT_NO_ROW: none. */
static uint32_t row_around(const struct ft_diff *diff, uint32_t row)
{
    const struct ft_diff_row *of = &diff->rows[row];
    const unsigned side = of->scopes[1] != FT_NO_MATCH;
    const struct ft_scopes *scopes = diff->sides[side].scopes;
    uint32_t scope = of->scopes[side];
    while (scope > 0) {
        scope = scopes->scopes[scope].parent;
        const uint32_t around = diff->row_of[side][scope];
        if (around != FT_NO_ROW && around != row)
            return around;
    }
    return FT_NO_ROW;
}

/* Rows that change most, with those around them, in their order; the caller frees the list. */
static uint32_t *choose_rows(const struct ft_diff_document *document, size_t *ret_count)
{
    const struct ft_diff *diff = document->diff;
    const size_t limit = document->limit_is_default ? ROWS_KEPT : document->limit;
    bool *is_chosen = calloc((size_t)diff->row_count + 1, sizeof *is_chosen);
    uint32_t *list = calloc((size_t)diff->row_count + 1, sizeof *list);
    size_t count = 0;
    for (size_t i = 0; is_chosen && list && i < document->row_count && i < limit; i++)
        for (uint32_t row = document->rows[i]; row != FT_NO_ROW && !is_chosen[row];
             row = row_around(diff, row)) {
            is_chosen[row] = true;
            list[count++] = row;
        }
    free(is_chosen);
    *ret_count = count;
    return list;
}

/* ---- values ---- */

static json_t *compared_json(const struct ft_compared_value *value)
{
    return ft_page_estimate(value->value, value->low, value->high);
}

/* Of a row, or of the program: both sides, the change, and the change relative to the first. */
static json_t *values_json(const struct ft_diff *diff, uint32_t row)
{
    json_t *sides[2] = {json_array(), json_array()}, *changes = json_array(),
           *relative = json_array();
    for (size_t i = 0; i < diff->metrics->count; i++) {
        struct ft_compared_value values[2];
        ft_diff_inclusive(diff, row, i, values);
        const struct ft_change change = ft_change_of(values, diff->alike);
        for (unsigned side = 0; side < 2; side++)
            ft_json_append(&sides[side], compared_json(&values[side]));
        ft_json_append(&changes, compared_json(&change.absolute));
        ft_json_append(&relative, compared_json(&change.relative));
    }
    return json_pack("{s:o, s:o, s:o, s:o}", "first", sides[0], "second", sides[1], "change",
                     changes, "relative_change", relative);
}

static json_t *exclusive_json(const struct ft_diff *diff, uint32_t row, unsigned side)
{
    json_t *list = json_array();
    for (size_t i = 0; i < diff->metrics->count; i++)
        ft_json_append(&list, ft_page_number(ft_diff_exclusive(diff, row, side, i)));
    return list;
}

static json_t *scope_json(const struct ft_diff *diff, uint32_t row, unsigned side)
{
    const uint32_t scope = diff->rows[row].scopes[side];
    return scope == FT_NO_MATCH ? json_null() : ft_scope_json(diff->sides[side].scopes, scope);
}

static json_t *row_json(const struct ft_diff *diff, uint32_t row)
{
    const uint32_t around = row_around(diff, row);
    json_t *json = json_pack("{s:I, s:o, s:o, s:o, s:s, s:[o, o]}", "id", (json_int_t)row, "parent",
                             around == FT_NO_ROW ? json_null() : json_integer(around), "first",
                             scope_json(diff, row, 0), "second", scope_json(diff, row, 1), "match",
                             ft_diff_match_text(diff, &diff->rows[row]), "exclusive",
                             exclusive_json(diff, row, 0), exclusive_json(diff, row, 1));
    return ft_json_merge(json, json_pack("{s:o}", "inclusive", values_json(diff, row)));
}

static json_t *metrics_json(const struct ft_diff_metrics *metrics)
{
    json_t *list = json_array();
    for (size_t i = 0; i < metrics->count; i++) {
        char name[FT_DIFF_METRIC_TEXT], title[FT_DIFF_METRIC_TEXT];
        const struct ft_shown_metric *metric = &metrics->items[i];
        ft_json_append(&list, json_pack("{s:o, s:o, s:b, s:b}", "metric",
                                        ft_json_text(ft_diff_metric_name(name, metric)), "title",
                                        ft_json_text(ft_diff_metric_title(title, metric)),
                                        "is_time", metric->kind == FT_SHOW_TIME, "is_full",
                                        metric->kind == FT_SHOW_FULL_MISSES));
    }
    return list;
}

/* ---- sides ---- */

/* Lines of the scopes of a side, in the order of the rows. */
static json_t *sources_json(const struct ft_diff_document *document, unsigned side,
                            const uint32_t *rows, size_t count)
{
    const struct ft_diff *diff = document->diff;
    uint32_t *list = calloc(count + 1, sizeof *list);
    size_t length = 0;
    for (size_t i = 0; list && i < count; i++)
        if (diff->rows[rows[i]].scopes[side] != FT_NO_MATCH)
            list[length++] = diff->rows[rows[i]].scopes[side];
    const char *folder = document->source_folders[side];
    json_t *sources = list ? ft_page_sources(diff->sides[side].scopes, list, length, folder) : NULL;
    if (side == 0 || folder != document->source_folders[0])
        ft_page_warn_of_sources("diff", folder, sources);
    free(list);
    return sources;
}

static json_t *side_json(const struct ft_diff_document *document, unsigned side,
                         const uint32_t *rows, size_t count)
{
    const struct ft_diff_source *source = &document->sources[side];
    char point[FT_DIFF_POINT_TEXT];
    return ft_json_merge(
        ft_diff_side_json(source),
        json_pack("{s:o, s:o, s:o, s:o}", "file", ft_json_text(ft_diff_source_label(source)),
                  "point", ft_json_text(ft_diff_source_point(point, source)), "description",
                  ft_json_text(source->has_machine ? source->machine.description : NULL), "sources",
                  sources_json(document, side, rows, document->with_source ? count : 0)));
}

/* ---- all of it ---- */

/* The sentence in one line, however long; NULL: out of memory. */
static char *answer_text(const struct ft_diff_document *document, struct ft_diag *diag)
{
    char *text = NULL;
    size_t bytes;
    FILE *stream = open_memstream(&text, &bytes);
    if (!stream)
        return NULL;
    const int status = ft_diff_answer(document, stream, diag);
    if (fclose(stream) == 0 && status == FT_OK) {
        text[strcspn(text, "\n")] = 0;
        return text;
    }
    free(text);
    return NULL;
}

json_t *ft_diff_page(const struct ft_diff_document *document, const char *command,
                     struct ft_diag *diag)
{
    const struct ft_diff *diff = document->diff;
    size_t count;
    uint32_t *rows = choose_rows(document, &count);
    char *answer = answer_text(document, diag);
    json_t *list = json_array(), *limits = json_array(), *page = NULL;
    for (size_t i = 0; rows && i < count; i++)
        ft_json_append(&list, row_json(diff, rows[i]));
    for (size_t i = 0; i < document->limit_count; i++) {
        char text[FT_VERDICT_TEXT];
        ft_json_append(&limits,
                       ft_json_merge(ft_diff_limit_json(document, i),
                                     json_pack("{s:o}", "is",
                                               ft_json_text(ft_verdict_text(text, document, i)))));
    }
    if (rows && answer)
        page = json_pack(
            "{s:i, s:s, s:o, s:o, s:I, s:o, s:o, s:b, s:[o, o], s:o, s:o, s:o, s:I, s:[I, I], s:o}",
            "version", DOCUMENT_VERSION, "tool_version", FT_VERSION, "command",
            ft_json_text(command), "answer", ft_json_text(answer), "sorted_by",
            (json_int_t)document->sorted_by, "in", ft_json_text(document->in), "within",
            document->within == FT_NO_ROW ? json_null() : json_integer(document->within),
            "is_one_file", strcmp(document->sources[0].path, document->sources[1].path) == 0,
            "sides", side_json(document, 0, rows, count), side_json(document, 1, rows, count),
            "metrics", metrics_json(diff->metrics), "total", values_json(diff, document->within),
            "rows", list, "changed", (json_int_t)document->row_count, "only",
            (json_int_t)ft_diff_count_only(document, 0),
            (json_int_t)ft_diff_count_only(document, 1), "limits", limits);
    free(answer);
    free(rows);
    return page;
}
