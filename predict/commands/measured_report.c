/*
 * As text: what is compared and how it was measured, the rows, a summary for each kind of value and
 * of all, and what could not be compared.
 */
#include "predict/commands/measured_report.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "formats/base/file_name.h"
#include "formats/cli/terminal.h"
#include "predict/commands/interval_data.h"
#include "predict/commands/report_parts.h"

#define NAMES_SHOWN 8

static bool is_time(const struct ft_beside *row)
{
    return strcmp(row->what, "time") == 0 || strcmp(row->what, FT_BESIDE_CONVOLVER) == 0 ||
           strcmp(row->what, FT_BESIDE_PENALTY) == 0;
}

static bool is_native(const struct ft_measured_report *report)
{
    return report->file_count == 0;
}

/* Kinds of values, each once, in the order of the rows; NULL behind the last. */
static const char *kind_at(const struct ft_beside_rows *rows, size_t index)
{
    for (size_t i = 0; i < rows->count; i++) {
        size_t before = 0;
        while (before < i && strcmp(rows->items[before].what, rows->items[i].what) != 0)
            before++;
        if (before == i && index-- == 0)
            return rows->items[i].what;
    }
    return NULL;
}

/* ---- text ---- */

static char *words_text(char *const *words, const char *separator)
{
    char *text = NULL;
    size_t bytes = 0;
    FILE *stream = open_memstream(&text, &bytes);
    if (!stream)
        return NULL;
    for (size_t i = 0; words[i]; i++)
        fprintf(stream, "%s%s", i > 0 ? separator : "", words[i]);
    if (fclose(stream) == 0)
        return text;
    free(text);
    return NULL;
}

static int print_head(const struct ft_measured_report *report, FILE *stream, struct ft_diag *diag)
{
    const struct ft_prediction *prediction = report->base->prediction;
    const char *program = ft_file_name(prediction->model->program);
    char point[FT_REPORT_POINT_TEXT], measured[FT_NUMBER_TEXT], forecast[FT_NUMBER_TEXT];
    char *text =
        is_native(report) ? words_text(report->words, " ") : words_text(report->files, ", ");
    if (!text)
        return ft_fail_memory(diag, "a report");
    ft_report_point_text(point, prediction);
    if (is_native(report))
        ft_print_wrapped(
            stream, 2,
            "%s on %s, beside '%s' on this host: CPU time, the least of %zu runs, less that at %s "
            "(%s; forecast: %s), which starts the program.\n",
            program, prediction->machine->name, text, report->repeats, point,
            ft_text_seconds(measured, report->base_time->min_seconds),
            prediction->estimates ? ft_text_seconds(forecast, prediction->estimates[0].cpu_seconds)
                                  : "unknown");
    else
        ft_print_wrapped(stream, 2, "%s, %s, on %s, beside what %s measured.\n", program, point,
                         prediction->machine->name, text);
    free(text);
    return FT_OK;
}

/* Native runs have times alone, without another model one each. */
static bool names_values(const struct ft_measured_report *report)
{
    bool any = !is_native(report);
    for (size_t i = 0; !any && i < report->rows->count; i++)
        any = strcmp(report->rows->items[i].what, "time") != 0;
    return any;
}

static void add_number(struct ft_table *table, double value, ft_number_writer *write)
{
    char text[FT_NUMBER_TEXT];
    if (isnan(value))
        ft_table_text(table, "unknown");
    else
        ft_table_text(table, write(text, value));
}

static void add_cells(struct ft_table *table, const struct ft_measured_report *report,
                      const struct ft_beside *row)
{
    ft_number_writer *write = is_time(row)              ? ft_text_seconds
                              : ft_beside_is_ratio(row) ? ft_text_percent
                                                        : ft_text_count;
    char text[FT_RANGE_TEXT], point[FT_REPORT_POINT_TEXT];
    if (is_native(report))
        ft_table_text(table, ft_report_point_text(point, row->prediction));
    else
        ft_table_text(table, row->routine ? row->routine : "program");
    if (names_values(report))
        ft_table_text(table, row->what);
    if (ft_beside_has_interval(row) && row->high > row->low)
        ft_table_text(table, ft_text_range(text, row->forecast, row->low, row->high, write));
    else
        add_number(table, row->forecast, write);
    ft_table_text(table, write(text, row->measured));
    if (isnan(ft_beside_error(row)))
        ft_table_empty(table);
    else
        ft_table_format(table, "%+.1f %%", 100 * ft_beside_error(row));
    ft_table_text(table, !ft_beside_has_interval(row) ? "-"
                         : ft_beside_is_inside(row)   ? "yes"
                                                      : "no");
    if (is_native(report))
        ft_table_text(table, write(text, row->median));
    else
        ft_table_text(table, row->event);
}

static int print_rows(const struct ft_measured_report *report, FILE *stream, struct ft_diag *diag)
{
    struct ft_table *table = ft_table_create();
    if (!table)
        return ft_fail_memory(diag, "a table");
    ft_table_column(table, is_native(report) ? "at" : "routine", "of", false);
    if (names_values(report))
        ft_table_column(table, "what", "what", false);
    ft_table_column(table, "forecast", "forecast", true);
    ft_table_column(table, "measured", "measured", true);
    ft_table_column(table, "error", "error", true);
    ft_table_column(table, "inside", "inside", false);
    if (is_native(report))
        ft_table_column(table, "median", "median", true);
    else
        ft_table_column(table, "event", "event", false);
    for (size_t i = 0; i < report->rows->count; i++)
        if (!report->rows->items[i].is_minor || ft_terminal_is_wide())
            add_cells(table, report, &report->rows->items[i]);
    fputc('\n', stream);
    return ft_report_finish(table, stream, diag);
}

static void add_error(struct ft_table *table, double error)
{
    if (isnan(error))
        ft_table_empty(table);
    else
        ft_table_percent(table, error);
}

static void add_summary(struct ft_table *table, const char *name,
                        const struct ft_error_summary *summary)
{
    ft_table_text(table, name);
    ft_table_count(table, (double)summary->count);
    add_error(table, summary->median);
    add_error(table, summary->mean);
    add_error(table, summary->deviation);
    add_error(table, summary->within_95);
    if (summary->known > 0)
        ft_table_format(table, "%zu of %zu", summary->inside, summary->known);
    else
        ft_table_empty(table);
}

static int print_summaries(const struct ft_measured_report *report, FILE *stream,
                           struct ft_diag *diag)
{
    struct ft_table *table = ft_table_create();
    struct ft_error_summary summary;
    const char *kind;
    size_t kinds = 0;
    int status = table ? FT_OK : ft_fail_memory(diag, "a table");
    if (status == FT_OK) {
        ft_table_column(table, "errors", "what", false);
        ft_table_column(table, "values", "count", true);
        ft_table_column(table, "median", "median_error", true);
        ft_table_column(table, "mean", "mean_error", true);
        ft_table_column(table, "std dev", "error_deviation", true);
        ft_table_column(table, "95 % within", "error_within_95", true);
        ft_table_column(table, "inside", "inside", true);
    }
    for (; status == FT_OK && (kind = kind_at(report->rows, kinds)); kinds++) {
        status = ft_beside_summary(report->rows, kind, &summary, diag);
        if (status == FT_OK)
            add_summary(table, kind, &summary);
    }
    if (status == FT_OK && kinds > 1) {
        status = ft_beside_summary(report->rows, NULL, &summary, diag);
        if (status == FT_OK)
            add_summary(table, "all", &summary);
    }
    if (status != FT_OK) {
        ft_table_destroy(table);
        return status;
    }
    fputc('\n', stream);
    return ft_report_finish(table, stream, diag);
}

static void print_names(const char *what, const char *const *names, size_t count, FILE *stream)
{
    char *text = NULL;
    size_t bytes = 0;
    const size_t shown = ft_terminal_is_wide() || count < NAMES_SHOWN ? count : NAMES_SHOWN;
    FILE *list = count > 0 ? open_memstream(&text, &bytes) : NULL;
    for (size_t i = 0; list && i < shown; i++)
        fprintf(list, "%s%s", i > 0 ? ", " : "", names[i]);
    if (list && shown < count)
        fprintf(list, " and %zu more", count - shown);
    if (list && fclose(list) == 0)
        ft_print_wrapped(stream, 2, "note: %s: %s.\n", what, text);
    free(text);
}

static void print_notes(const struct ft_measured_report *report, FILE *stream)
{
    const struct ft_beside_rows *rows = report->rows;
    const struct ft_measured *measured = report->measured;
    size_t minor = 0;
    for (size_t i = 0; i < rows->count; i++)
        minor += rows->items[i].is_minor;
    const bool any = minor + rows->stranger_count + rows->level_count > 0 ||
                     (measured && measured->unknown_count > 0);
    if (any)
        fputc('\n', stream);
    if (minor > 0 && !ft_terminal_is_wide())
        ft_print_wrapped(stream, 2,
                         "note: left out: %zu value%s of routines with less than 1 %% of what was "
                         "measured: --wide shows them.\n",
                         minor, minor == 1 ? "" : "s");
    print_names("routines that the model does not have", rows->strangers, rows->stranger_count,
                stream);
    print_names("the machine has no level for", rows->levels, rows->level_count, stream);
    if (measured)
        print_names("nothing of the model is held against", (const char *const *)measured->unknown,
                    measured->unknown_count, stream);
}

static int print_text(const struct ft_measured_report *report, FILE *stream, struct ft_diag *diag)
{
    FT_TRY(print_head(report, stream, diag));
    if (report->rows->count > 0) {
        FT_TRY(print_rows(report, stream, diag));
        FT_TRY(print_summaries(report, stream, diag));
    }
    print_notes(report, stream);
    return FT_OK;
}

/* ---- CSV ---- */

static int print_csv(const struct ft_measured_report *report, FILE *stream, struct ft_diag *diag)
{
    static const char *const keys[] = {
        "at",           "routine",       "what",         "event",           "forecast",
        "forecast_low", "forecast_high", "measured",     "measured_median", "error",
        "inside",       "minor",         "measured_low", "measured_high",   "samples"};
    struct ft_table *table = ft_table_create();
    char point[FT_REPORT_POINT_TEXT];
    if (!table)
        return ft_fail_memory(diag, "a table");
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        ft_table_column(table, keys[i], keys[i], i > 3);
    for (size_t i = 0; i < report->rows->count; i++) {
        const struct ft_beside *row = &report->rows->items[i];
        ft_table_text(table, ft_report_point_text(point, row->prediction));
        ft_table_text(table, row->routine ? row->routine : "");
        ft_table_text(table, row->what);
        ft_table_text(table, row->event ? row->event : "");
        ft_table_end(table, row->forecast);
        ft_table_end(table, row->low);
        ft_table_end(table, row->high);
        ft_table_end(table, row->measured);
        ft_table_end(table, row->median);
        ft_table_end(table, ft_beside_error(row));
        ft_table_text(table, !ft_beside_has_interval(row) ? ""
                             : ft_beside_is_inside(row)   ? "1"
                                                          : "0");
        ft_table_text(table, row->is_minor ? "1" : "0");
        ft_table_end(table, row->measured_low);
        ft_table_end(table, row->measured_high);
        ft_table_end(table, row->samples);
    }
    int status = ft_table_write(table, stream, true, diag);
    ft_table_destroy(table);
    return status;
}

/* ---- JSON ---- */

static json_t *texts_json(const char *const *texts, size_t count)
{
    json_t *list = json_array();
    for (size_t i = 0; i < count; i++)
        ft_json_append(&list, ft_json_text(texts[i]));
    return list;
}

static json_t *row_json(const struct ft_beside *row)
{
    char point[FT_REPORT_POINT_TEXT];
    json_t *interval = ft_beside_has_interval(row) ? json_pack("[o, o]", ft_json_number(row->low),
                                                               ft_json_number(row->high))
                                                   : json_null();
    json_t *inside =
        ft_beside_has_interval(row) ? json_boolean(ft_beside_is_inside(row)) : json_null();
    json_t *values = json_pack(
        "{s:o, s:o, s:s, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:b}", "at",
        ft_json_text(ft_report_point_text(point, row->prediction)), "routine",
        ft_json_text(row->routine), "what", row->what, "event", ft_json_text(row->event),
        "forecast", ft_json_number(row->forecast), "forecast_interval", interval, "measured",
        ft_json_number(row->measured), "measured_median", ft_json_number(row->median), "error",
        ft_json_number(ft_beside_error(row)), "inside", inside, "minor", row->is_minor);
    if (values && ft_beside_is_ratio(row))
        values = ft_json_merge(values, json_pack("{s:[o, o], s:o}", "measured_interval",
                                                 ft_json_number(row->measured_low),
                                                 ft_json_number(row->measured_high), "samples",
                                                 ft_json_number(row->samples)));
    return values;
}

static json_t *summary_json(const char *what, const struct ft_error_summary *summary)
{
    return json_pack("{s:o, s:I, s:o, s:o, s:o, s:o, s:I, s:I}", "what", ft_json_text(what),
                     "count", (json_int_t)summary->count, "median_error",
                     ft_json_number(summary->median), "mean_error", ft_json_number(summary->mean),
                     "error_deviation", ft_json_number(summary->deviation), "error_within_95",
                     ft_json_number(summary->within_95), "inside", (json_int_t)summary->inside,
                     "intervals", (json_int_t)summary->known);
}

static int summaries_json(const struct ft_beside_rows *rows, json_t **ret_list,
                          struct ft_diag *diag)
{
    json_t *list = json_array();
    struct ft_error_summary summary;
    const char *kind;
    int status = FT_OK;
    for (size_t i = 0; status == FT_OK && (kind = kind_at(rows, i)); i++) {
        status = ft_beside_summary(rows, kind, &summary, diag);
        if (status == FT_OK)
            ft_json_append(&list, summary_json(kind, &summary));
    }
    if (status == FT_OK)
        status = ft_beside_summary(rows, NULL, &summary, diag);
    if (status != FT_OK) {
        json_decref(list);
        return status;
    }
    ft_json_append(&list, summary_json(NULL, &summary));
    *ret_list = list;
    return FT_OK;
}

/* How it was measured. */
static json_t *source_json(const struct ft_measured_report *report)
{
    if (!is_native(report))
        return json_pack(
            "{s:o, s:o, s:o, s:o}", "files",
            texts_json((const char *const *)report->files, report->file_count), "not_in_model",
            texts_json(report->rows->strangers, report->rows->stranger_count), "no_level",
            texts_json(report->rows->levels, report->rows->level_count), "not_compared",
            texts_json((const char *const *)report->measured->unknown,
                       report->measured->unknown_count));
    const struct ft_prediction *base = report->base->prediction;
    size_t words = 0;
    char point[FT_REPORT_POINT_TEXT];
    while (report->words[words])
        words++;
    return json_pack("{s:o, s:I, s:{s:o, s:o, s:o}}", "command",
                     texts_json((const char *const *)report->words, words), "runs",
                     (json_int_t)report->repeats, "subtracted", "at",
                     ft_json_text(ft_report_point_text(point, base)), "measured",
                     ft_json_number(report->base_time->min_seconds), "forecast",
                     ft_json_number(base->estimates ? base->estimates[0].cpu_seconds : NAN));
}

static int print_json(const struct ft_measured_report *report, FILE *stream, struct ft_diag *diag)
{
    const struct ft_prediction *prediction = report->base->prediction;
    json_t *rows = json_array(), *summaries;
    for (size_t i = 0; i < report->rows->count; i++)
        ft_json_append(&rows, row_json(&report->rows->items[i]));
    int status = summaries_json(report->rows, &summaries, diag);
    if (status != FT_OK) {
        json_decref(rows);
        return status;
    }
    json_t *document = json_pack("{s:o, s:o}", "program", ft_json_text(prediction->model->program),
                                 "machine", ft_json_text(prediction->machine->name));
    document = ft_json_merge(document, source_json(report));
    return ft_json_write(
        ft_json_merge(document, json_pack("{s:o, s:o}", "values", rows, "errors", summaries)),
        stream, diag);
}

int ft_measured_report_print(const struct ft_measured_report *report, enum ft_report_form form,
                             FILE *stream, struct ft_diag *diag)
{
    return form == FT_REPORT_JSON  ? print_json(report, stream, diag)
           : form == FT_REPORT_CSV ? print_csv(report, stream, diag)
                                   : print_text(report, stream, diag);
}
