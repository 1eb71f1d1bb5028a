/*
 * As text: both sides, the answer, metrics, rows, what only one side has, limits.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "formats/base/file_name.h"
#include "formats/cli/terminal.h"
#include "formats/commands/scope_report.h"
#include "predict/commands/compared_cells.h"
#include "predict/commands/diff/document.h"
#include "predict/commands/report_parts.h"

#define TINY    5e-4 /* relative: changes that are printed as 0 % */
#define ROUNDED 1e-6 /* counts below are 0 */
#define MATTERS 1e-3 /* of what all rows change: of rows with less --loops shows more */

static const char *const letters[2] = {"A", "B"};

/* ---- words ---- */

static bool is_time(const struct ft_diff_document *document, size_t metric)
{
    return document->diff->metrics->items[metric].kind == FT_SHOW_TIME;
}

static ft_number_writer *writer_of(const struct ft_diff_document *document, size_t metric)
{
    return is_time(document, metric) ? ft_text_small_seconds : ft_text_small_count;
}

/* "+12.3 %", "0 %", from ten times on "12.3 x" the value; "new" where there was none. */
static char *percent_text(char text[FT_NUMBER_TEXT], double ratio)
{
    if (isinf(ratio))
        snprintf(text, FT_NUMBER_TEXT, "new");
    else if (fabs(ratio) < TINY)
        snprintf(text, FT_NUMBER_TEXT, "0 %%");
    else if (ratio >= 9)
        snprintf(text, FT_NUMBER_TEXT, "%.3g x", 1 + ratio);
    else
        snprintf(text, FT_NUMBER_TEXT, "%+.1f %%", 100 * ratio);
    return text;
}

/* "+1.23 M" */
static char *signed_text(char text[FT_NUMBER_TEXT], double value, ft_number_writer *write)
{
    char number[FT_NUMBER_TEXT];
    write(number, fabs(value));
    snprintf(text, FT_NUMBER_TEXT, "%s%.30s",
             strcmp(number, "0") == 0 ? ""
             : value < 0              ? "-"
                                      : "+",
             number);
    return text;
}

char *ft_diff_metric_title(char text[FT_DIFF_METRIC_TEXT], const struct ft_shown_metric *metric)
{
    if (!metric->level)
        return ft_diff_metric_name(text, metric);
    snprintf(text, FT_DIFF_METRIC_TEXT, "%.80s misses%s", metric->level,
             metric->kind == FT_SHOW_FULL_MISSES ? ", fully assoc." : "");
    return text;
}

static const char *scope_text(char text[FT_REPORT_SCOPE_TEXT],
                              const struct ft_diff_document *document, uint32_t row)
{
    const struct ft_diff_row *of = &document->diff->rows[row];
    const unsigned side = of->scopes[1] != FT_NO_MATCH;
    return ft_report_scope_text(text, document->diff->sides[side].scopes, of->scopes[side]);
}

/* ---- the head ---- */

static void print_side(const struct ft_diff_document *document, unsigned side, FILE *stream)
{
    const struct ft_diff_source *source = &document->sources[side];
    const char *program = ft_file_name(ft_diff_source_program(source));
    char point[FT_DIFF_POINT_TEXT];
    ft_diff_source_point(point, source);
    ft_print_wrapped(stream, 3, "%s: %s%s%s%s%s (%s)\n", letters[side], program, *point ? ", " : "",
                     point, source->has_machine ? ", on " : "",
                     source->has_machine ? source->machine.name : "", ft_diff_source_label(source));
}

/* ---- the answer ---- */

/* "makes 12.3 % fewer L2 misses than A" */
static void write_change(FILE *line, const struct ft_shown_metric *metric,
                         const struct ft_compared_value values[2], const struct ft_change *change)
{
    char title[FT_DIFF_METRIC_TEXT], first[FT_NUMBER_TEXT], second[FT_NUMBER_TEXT];
    const bool is_time = metric->kind == FT_SHOW_TIME;
    const char *verb = is_time                                ? "takes"
                       : metric->kind == FT_SHOW_INSTRUCTIONS ? "executes"
                                                              : "makes";
    const double ratio = change->relative.value;
    ft_number_writer *write = is_time ? ft_text_small_seconds : ft_text_small_count;
    ft_diff_metric_title(title, metric);
    write(first, values[0].value);
    write(second, values[1].value);
    if (isnan(ratio))
        fprintf(line, "The change of %s is unknown", title);
    else if (fabs(ratio) < TINY)
        fprintf(line, is_time ? "B takes as long as A" : "B %s as many %s as A", verb, title);
    else if (values[0].value <= 0)
        fprintf(line, "B %s %s %s, A none", verb, second, title);
    else if (values[1].value <= 0)
        fprintf(line, "B %s no %s, A %s", verb, title, first);
    else if (ratio > 1)
        fprintf(line, is_time ? "B %s %.3g times as long as A" : "B %s %.3g times as many %s as A",
                verb, 1 + ratio, title);
    else
        fprintf(line, "B %s %.1f %% %s %s than A", verb, 100 * fabs(ratio),
                is_time ? (ratio < 0 ? "less" : "more") : (ratio < 0 ? "fewer" : "more"), title);
}

/* " (-14.0 % to -10.1 %)"; nothing where the ends look alike. */
static void write_interval(FILE *line, const struct ft_compared_value *relative)
{
    char low[FT_NUMBER_TEXT], high[FT_NUMBER_TEXT];
    if (isfinite(relative->value) && relative->high > relative->low &&
        strcmp(percent_text(low, relative->low), percent_text(high, relative->high)) != 0)
        fprintf(line, " (%s to %s)", low, high);
}

/* Changes of the rows, as far as they are known, those of one side alone where they count. NULL:
 * out of memory. */
static double *placed_changes(const struct ft_diff_document *document)
{
    const struct ft_diff *diff = document->diff;
    double *changes = calloc((size_t)diff->row_count + 1, sizeof *changes);
    for (size_t i = 0; changes && i < document->row_count; i++) {
        const uint32_t row = document->rows[i];
        const double change = ft_diff_exclusive_change(diff, row, document->sorted_by);
        const uint32_t place = ft_diff_place(diff, row);
        changes[ft_diff_is_inside(diff, place, document->within) ? place : row] +=
            isnan(change) ? 0 : change;
    }
    return changes;
}

/* Where most of the change is: the row of the largest one in the direction of all. */
static void write_largest(FILE *line, const struct ft_diff_document *document, double total)
{
    const struct ft_diff *diff = document->diff;
    char scope[FT_REPORT_SCOPE_TEXT], share[FT_NUMBER_TEXT];
    uint32_t most = FT_NO_ROW;
    double *changes = placed_changes(document);
    for (uint32_t i = 0; changes && i < diff->row_count; i++)
        if (changes[i] * total > 0 && (most == FT_NO_ROW || fabs(changes[i]) > fabs(changes[most])))
            most = i;
    if (most != FT_NO_ROW) {
        const struct ft_diff_row *row = &diff->rows[most];
        const double part = changes[most] / total;
        scope_text(scope, document, most);
        ft_text_share(share, part);
        if (part > 1 + TINY)
            fprintf(line, "; more than all of that is in %s", scope);
        else
            fprintf(line, part < 0.5 ? "; the largest part, %s, is in %s" : "; %s of that is in %s",
                    share, scope);
        if (row->counts[0] == 0 || row->counts[1] == 0)
            fprintf(line, ", which only %s has", letters[row->counts[1] > 0]);
    }
    free(changes);
}

int ft_diff_answer(const struct ft_diff_document *document, FILE *stream, struct ft_diag *diag)
{
    const struct ft_diff *diff = document->diff;
    const size_t metric = document->sorted_by;
    struct ft_compared_value values[2];
    char *text = NULL;
    size_t bytes;
    FILE *line = open_memstream(&text, &bytes);
    if (!line)
        return ft_fail_memory(diag, "a sentence");
    ft_diff_inclusive(diff, document->within, metric, values);
    const struct ft_change change = ft_change_of(values, diff->alike);
    if (document->in)
        fprintf(line, "In %s: ", document->in);
    write_change(line, &diff->metrics->items[metric], values, &change);
    write_interval(line, &change.relative);
    if (fabs(change.relative.value) >= TINY)
        write_largest(line, document, change.absolute.value);
    else if (document->row_count == 0)
        fputs(", and no routine or loop differs", line);
    fclose(line);
    ft_print_wrapped(stream, 2, "%s.\n", text);
    free(text);
    return FT_OK;
}

/* ---- metrics ---- */

static bool is_full(const struct ft_diff_document *document, const char *name)
{
    for (unsigned side = 0; side < 2; side++) {
        const struct ft_machine *machine = ft_diff_machine(&document->sources[side]);
        const size_t level = machine ? ft_machine_find_level(machine, name) : 0;
        if (machine && level < machine->level_count &&
            machine->levels[level].ways != machine->levels[level].blocks)
            return false;
    }
    return true;
}

/* A change with its interval; empty where it is unknown. */
static void add_relative(struct ft_table *table, const struct ft_compared_value *relative)
{
    char *text = NULL, number[FT_NUMBER_TEXT];
    size_t bytes;
    FILE *cell = isnan(relative->value) ? NULL : open_memstream(&text, &bytes);
    if (!cell) {
        ft_table_empty(table);
        return;
    }
    fputs(percent_text(number, relative->value), cell);
    write_interval(cell, relative);
    fclose(cell);
    ft_table_text(table, text);
    free(text);
}

static bool has_level(const struct ft_diff_source *source, const struct ft_shown_metric *metric)
{
    const struct ft_machine *machine = ft_diff_machine(source);
    return !metric->level ||
           (machine && ft_machine_find_level(machine, metric->level) < machine->level_count);
}

static int print_metrics(const struct ft_diff_document *document, FILE *stream,
                         struct ft_diag *diag)
{
    const struct ft_diff *diff = document->diff;
    struct ft_table *table = ft_table_create();
    if (!table)
        return ft_fail_memory(diag, "a table");
    ft_table_column(table, "", "metric", false);
    ft_table_column(table, "A", "first", true);
    ft_table_column(table, "B", "second", true);
    ft_table_column(table, "change", "change", true);
    ft_table_column(table, "difference", "difference", true);
    for (size_t i = 0; i < diff->metrics->count; i++) {
        const struct ft_shown_metric *metric = &diff->metrics->items[i];
        char title[FT_DIFF_METRIC_TEXT], number[FT_NUMBER_TEXT];
        struct ft_compared_value values[2];
        if (metric->kind == FT_SHOW_FULL_MISSES && is_full(document, metric->level))
            continue;
        ft_diff_inclusive(diff, document->within, i, values);
        const struct ft_change change = ft_change_of(values, diff->alike);
        if (metric->kind == FT_SHOW_FULL_MISSES)
            ft_table_text(table, "  fully assoc.");
        else
            ft_table_text(table, ft_diff_metric_title(title, metric));
        for (unsigned side = 0; side < 2; side++)
            if (!has_level(&document->sources[side], metric))
                ft_table_empty(table);
            else
                ft_compared_cell(table, &values[side], is_time(document, i), ft_terminal_is_wide());
        add_relative(table, &change.relative);
        if (isnan(change.absolute.value))
            ft_table_empty(table);
        else
            ft_table_text(table,
                          signed_text(number, change.absolute.value, writer_of(document, i)));
    }
    fputc('\n', stream);
    return ft_report_finish(table, stream, diag);
}

/* ---- rows ---- */

/* Whether a row is of routines whose names differ, in more than what a compiler appends, or of
 * loops in such. */
static bool is_renamed(const struct ft_diff *diff, const struct ft_diff_row *row)
{
    const char *names[2];
    size_t lengths[2];
    for (unsigned side = 0; side < 2; side++) {
        const struct ft_scopes *scopes = diff->sides[side].scopes;
        names[side] = scopes->scopes[ft_scope_routine(scopes, row->scopes[side])].name;
        lengths[side] = strcspn(names[side], ".");
    }
    return lengths[0] != lengths[1] || strncmp(names[0], names[1], lengths[0]) != 0;
}

const char *ft_diff_match_text(const struct ft_diff *diff, const struct ft_diff_row *row)
{
    if (row->counts[0] == 0)
        return "only B";
    if (row->counts[1] == 0)
        return "only A";
    if (row->kind != FT_MATCH_CODE && row->kind != FT_MATCH_MOVED && is_renamed(diff, row))
        return "renamed";
    return row->kind == FT_MATCH_CODE || row->kind == FT_MATCH_NAME || row->kind == FT_MATCH_LINE
               ? ""
               : ft_match_kind_names[row->kind];
}

/* "matmul.c:20" and "multiply"; a routine by itself has no loop. */
static void add_location(struct ft_table *table, const struct ft_diff_document *document,
                         uint32_t row)
{
    const struct ft_diff_row *of = &document->diff->rows[row];
    const unsigned side = of->scopes[1] != FT_NO_MATCH;
    const struct ft_scopes *scopes = document->diff->sides[side].scopes;
    const struct ft_scope *scope = &scopes->scopes[of->scopes[side]];
    const struct ft_scope *routine = &scopes->scopes[ft_scope_routine(scopes, of->scopes[side])];
    if (scope == routine)
        ft_table_empty(table);
    else if (scope->file[0] && scope->first_line)
        ft_table_format(table, "%s:%u", ft_file_name(scope->file), scope->first_line);
    else
        ft_table_text(table, scope->name);
    ft_table_text(table, routine->name);
}

/* Columns of the other metrics: by how much they change. */
static bool is_other(const struct ft_diff_document *document, size_t metric)
{
    return metric != document->sorted_by &&
           document->diff->metrics->items[metric].kind != FT_SHOW_FULL_MISSES;
}

static void add_row_columns(struct ft_table *table, const struct ft_diff_document *document,
                            bool has_matches)
{
    const struct ft_diff_metrics *metrics = document->diff->metrics;
    char title[FT_DIFF_METRIC_TEXT];
    ft_table_column(table, "loop", "loop", false);
    ft_table_column(table, "routine", "routine", false);
    if (has_matches)
        ft_table_column(table, "match", "match", false);
    ft_table_column(table, "A", "first", true);
    ft_table_column(table, "B", "second", true);
    ft_table_column(table, "change", "change", true);
    for (size_t i = 0; i < metrics->count; i++)
        if (is_other(document, i))
            ft_table_column(table,
                            metrics->items[i].level
                                ? metrics->items[i].level
                                : ft_diff_metric_name(title, &metrics->items[i]),
                            "other", true);
}

/* What is left of a count that rounding alone keeps above 0 is 0. */
static void add_exclusive(struct ft_table *table, const struct ft_diff_document *document,
                          uint32_t row, unsigned side)
{
    const size_t metric = document->sorted_by;
    const double exclusive = ft_diff_exclusive(document->diff, row, side, metric);
    const bool is_none = !is_time(document, metric) && fabs(exclusive) < ROUNDED;
    if (document->diff->rows[row].counts[side] == 0)
        ft_table_empty(table);
    else
        ft_compared_cell(table, &(struct ft_compared_value){is_none ? 0 : exclusive, NAN, NAN},
                         is_time(document, metric), false);
}

static void add_row_cells(struct ft_table *table, const struct ft_diff_document *document,
                          uint32_t row, bool has_matches)
{
    const struct ft_diff *diff = document->diff;
    const struct ft_diff_row *of = &diff->rows[row];
    const size_t metric = document->sorted_by;
    const double change = ft_diff_exclusive_change(diff, row, metric);
    char text[FT_REPORT_SCOPE_TEXT];
    add_location(table, document, row);
    if (has_matches)
        ft_table_text(table, ft_diff_match_text(diff, of));
    for (unsigned side = 0; side < 2; side++)
        add_exclusive(table, document, row, side);
    if (isnan(change))
        ft_table_empty(table);
    else
        ft_table_text(table, signed_text(text, change, writer_of(document, metric)));
    for (size_t i = 0; i < diff->metrics->count; i++) {
        const struct ft_compared_value values[2] = {{ft_diff_exclusive(diff, row, 0, i), NAN, NAN},
                                                    {ft_diff_exclusive(diff, row, 1, i), NAN, NAN}};
        const struct ft_change other = ft_change_of(values, diff->alike);
        if (is_other(document, i))
            add_relative(table, &other.relative);
    }
}

/* By how much a row changes in what rows are sorted by; 0 where that is unknown. */
static double weight_of(const struct ft_diff_document *document, size_t index)
{
    const double change =
        ft_diff_exclusive_change(document->diff, document->rows[index], document->sorted_by);
    return isnan(change) ? 0 : fabs(change);
}

/* Without --loops those alone that matter for what they are sorted by. */
static size_t shown_count(const struct ft_diff_document *document)
{
    double least = 0;
    size_t count = 0;
    for (size_t i = 0; document->limit_is_default && i < document->row_count; i++)
        least += MATTERS * weight_of(document, i);
    while (count < document->row_count && count < document->limit &&
           (!document->limit_is_default || weight_of(document, count) > least))
        count++;
    return count;
}

static int print_rows(const struct ft_diff_document *document, FILE *stream, struct ft_diag *diag)
{
    const size_t shown = shown_count(document);
    char title[FT_DIFF_METRIC_TEXT];
    bool has_matches = false;
    for (size_t i = 0; i < shown; i++)
        has_matches = has_matches ||
                      *ft_diff_match_text(document->diff, &document->diff->rows[document->rows[i]]);
    struct ft_table *table = shown > 0 ? ft_table_create() : NULL;
    if (shown > 0 && !table)
        return ft_fail_memory(diag, "a table");
    if (table) {
        add_row_columns(table, document, has_matches);
        for (size_t i = 0; i < shown; i++)
            add_row_cells(table, document, document->rows[i], has_matches);
        fputc('\n', stream);
        ft_print_wrapped(
            stream, 0, "Routines and loops, exclusive of what is nested, by change of %s:\n\n",
            ft_diff_metric_title(title, &document->diff->metrics->items[document->sorted_by]));
        FT_TRY(ft_report_finish(table, stream, diag));
    }
    if (document->row_count > shown)
        fprintf(stream, "%s%zu more differ: --loops %zu\n", shown > 0 ? "" : "\n",
                document->row_count - shown, document->row_count);
    return FT_OK;
}

/* ---- what only one side has ---- */

size_t ft_diff_count_only(const struct ft_diff_document *document, unsigned side)
{
    size_t count = 0;
    for (size_t i = 0; i < document->row_count; i++) {
        const struct ft_diff_row *row = &document->diff->rows[document->rows[i]];
        count += row->counts[!side] == 0 ? row->counts[side] : 0;
    }
    return count;
}

static void print_only(const struct ft_diff_document *document, FILE *stream)
{
    const struct ft_diff *diff = document->diff;
    for (unsigned side = 0; side < 2; side++) {
        const size_t count = ft_diff_count_only(document, side);
        double values = 0;
        char title[FT_DIFF_METRIC_TEXT], number[FT_NUMBER_TEXT];
        for (size_t i = 0; i < document->row_count; i++)
            if (diff->rows[document->rows[i]].counts[!side] == 0)
                values += ft_diff_exclusive(diff, document->rows[i], side, document->sorted_by);
        fputs(side == 0 ? "\n" : "", stream);
        if (count == 0)
            fprintf(stream, "Only in %s: nothing\n", letters[side]);
        else
            ft_print_wrapped(
                stream, 2, "Only in %s: %zu routine%s or loop%s, %s: %s\n", letters[side], count,
                count == 1 ? "" : "s", count == 1 ? "" : "s",
                ft_diff_metric_title(title, &diff->metrics->items[document->sorted_by]),
                isnan(values) ? "unknown"
                              : writer_of(document, document->sorted_by)(number, values));
    }
}

/* ---- limits ---- */

/* An end of what a limit is about. */
static char *judged_text(char text[FT_NUMBER_TEXT], const struct ft_diff_document *document,
                         const struct ft_diff_limit *limit, double value)
{
    ft_number_writer *write = writer_of(document, limit->metric);
    return limit->limited == FT_LIMIT_RELATIVE ? percent_text(text, value)
           : limit->limited == FT_LIMIT_CHANGE ? signed_text(text, value, write)
                                               : write(text, value);
}

char *ft_verdict_text(char text[FT_VERDICT_TEXT], const struct ft_diff_document *document,
                      size_t limit)
{
    const struct ft_diff_limit *of = &document->limits[limit];
    const struct ft_compared_value *judged = &document->verdicts[limit].judged;
    char value[FT_NUMBER_TEXT], low[FT_NUMBER_TEXT], high[FT_NUMBER_TEXT];
    if (!document->verdicts[limit].is_known)
        snprintf(text, FT_VERDICT_TEXT, "unknown");
    else if (judged->high > judged->low)
        snprintf(text, FT_VERDICT_TEXT, "%s (%s to %s)",
                 judged_text(value, document, of, judged->value),
                 judged_text(low, document, of, judged->low),
                 judged_text(high, document, of, judged->high));
    else
        judged_text(text, document, of, judged->value);
    return text;
}

static int print_limits(const struct ft_diff_document *document, FILE *stream, struct ft_diag *diag)
{
    if (document->limit_count == 0)
        return FT_OK;
    struct ft_table *table = ft_table_create();
    if (!table)
        return ft_fail_memory(diag, "a table");
    ft_table_column(table, "limit", "limit", false);
    ft_table_column(table, "is", "judged", false);
    ft_table_column(table, "holds", "holds", false);
    for (size_t i = 0; i < document->limit_count; i++) {
        const struct ft_verdict *verdict = &document->verdicts[i];
        char text[FT_VERDICT_TEXT];
        ft_table_text(table, document->limits[i].text);
        ft_table_text(table, ft_verdict_text(text, document, i));
        ft_table_format(table, "%s%s",
                        !verdict->is_known ? "unknown"
                        : verdict->holds   ? "yes"
                                           : "no",
                        ft_verdict_is_doubtful(verdict) ? ", not sure" : "");
    }
    fputc('\n', stream);
    return ft_report_finish(table, stream, diag);
}

int ft_diff_text(const struct ft_diff_document *document, FILE *stream, struct ft_diag *diag)
{
    FT_TRY(ft_diff_answer(document, stream, diag));
    for (unsigned side = 0; side < 2; side++)
        print_side(document, side, stream);
    FT_TRY(print_metrics(document, stream, diag));
    FT_TRY(print_rows(document, stream, diag));
    print_only(document, stream);
    return print_limits(document, stream, diag);
}
