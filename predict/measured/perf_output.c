/*
 * perf stat -x SEPARATOR (perf-stat(1), "CSV FORMAT"): value, unit or nothing, event, run time of
 * the counter, share of the time that it ran, metric, unit of the metric; with -I a time in front.
 * "<not counted>" and "<not supported>" are no values. Counts are scaled by perf already.
 *
 * perf report -t, (perf-report(1), --field-separator): for each event "# Samples: 141 of event
 * 'task-clock'" and "# Event count (approx.): 35250000"; "# Overhead,Samples,Period,Command,Shared
 * Object,Symbol", as columns were asked for; a row for each symbol: "[.] name" of the program, "[k]
 * name" of the kernel. A value is the period where there is that column (--show-total-period), else
 * the overhead's share of the event count. With --mem-mode there is a column "Memory access", maybe
 * one "TLB access", and overheads are of latencies: there the column Samples is what counts (-n).
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "formats/base/parse.h"
#include "predict/measured/load_samples.h"
#include "predict/measured/readers.h"

/* ---- stat ---- */

static bool is_comment(const char *line)
{
    return !line[strspn(line, " \t")] || line[strspn(line, " \t")] == '#';
}

/* The value of the field, and the factor of its unit: clocks are in ms there. */
static bool read_value(const struct ft_measured_fields *fields, size_t first, double *ret_value)
{
    if (fields->count < first + 3 || !ft_parse_double(fields->items[first], ret_value))
        return false;
    if (strcmp(fields->items[first + 1], "msec") == 0)
        *ret_value *= 1e6;
    return true;
}

static int stat_line(const char *line, char separator, struct ft_measured *measured,
                     struct ft_diag *diag)
{
    struct ft_measured_fields fields;
    struct ft_measured_event event;
    double value;
    FT_TRY(ft_measured_fields_cut(line, separator, FT_MEASURED_FIELDS_MAX, &fields, diag));
    /* With -I the event is a field later. */
    size_t first = fields.count > 3 && !ft_measured_event_find(fields.items[2], &event) &&
                           ft_measured_event_find(fields.items[3], &event)
                       ? 1
                       : 0;
    int status = FT_OK;
    if (read_value(&fields, first, &value)) {
        const char *name = fields.items[first + 2];
        const bool known = ft_measured_event_find(name, &event);
        if (*name)
            status = ft_measured_add(measured, NULL, name, known ? &event : NULL, value, diag);
    }
    ft_measured_fields_fini(&fields);
    return status;
}

int ft_measured_perf_stat(const struct ft_measured_lines *lines, struct ft_measured *measured,
                          struct ft_diag *diag)
{
    int status = FT_OK;
    for (size_t i = 0; status == FT_OK && i < lines->count; i++) {
        const char *line = lines->items[i];
        const char separator = strchr(line, ';') ? ';' : strchr(line, '\t') ? '\t' : ',';
        if (!is_comment(line))
            status = stat_line(line, separator, measured, diag);
    }
    return status;
}

/* ---- report ---- */

/* The columns of a report, and the event that its rows count. */
struct report {
    size_t overhead, period, symbol, samples, access, tlb; /* columns; `count`: there is none */
    size_t count;
    char separator;
    char event_name[128];
    double event_count;
    struct ft_load_samples loads;
    char loads_event[128]; /* of the event whose rows have begun */
};

/* The head of the rows: also without its '#', as people cut them off. */
static const char *head_of(const char *line)
{
    line += strspn(line, "# \t");
    return strncmp(line, "Overhead", strlen("Overhead")) == 0 && strpbrk(line, ",;\t") ? line
                                                                                       : NULL;
}

bool ft_measured_is_perf_report(const struct ft_measured_lines *lines)
{
    for (size_t i = 0; i < lines->count; i++)
        if (head_of(lines->items[i]))
            return true;
    return false;
}

static int read_head(const char *line, struct report *report, struct ft_diag *diag)
{
    struct ft_measured_fields fields;
    report->separator = *strpbrk(line, ",;\t");
    FT_TRY(ft_measured_fields_cut(line, report->separator, FT_MEASURED_FIELDS_MAX, &fields, diag));
    const struct {
        const char *name;
        size_t *column;
    } columns[] = {{"Overhead", &report->overhead},    {"Period", &report->period},
                   {"Symbol", &report->symbol},        {"Samples", &report->samples},
                   {"Memory access", &report->access}, {"TLB access", &report->tlb}};
    report->count = fields.count;
    for (size_t k = 0; k < sizeof columns / sizeof *columns; k++) {
        *columns[k].column = fields.count;
        for (size_t i = 0; i < fields.count; i++)
            if (strcmp(fields.items[i], columns[k].name) == 0)
                *columns[k].column = i;
    }
    ft_measured_fields_fini(&fields);
    return FT_OK;
}

/* "# Samples: 141  of event 'task-clock'"; "# Event count (approx.): 35250000". */
static void read_comment(const char *line, struct report *report)
{
    static const char of_event[] = "of event '", count[] = "# Event count (approx.):";
    const char *name = strstr(line, of_event);
    const char *number = strstr(line, count);
    if (name) {
        name += strlen(of_event);
        snprintf(report->event_name, sizeof report->event_name, "%.*s", (int)strcspn(name, "'"),
                 name);
        report->event_count = 0;
    } else if (number) {
        report->event_count = strtod(number + strlen(count), NULL);
    }
}

/* "[.] name"; NULL of the kernel and of what has no name. */
static const char *symbol_name(const char *field)
{
    if (field[0] == '[' && field[1] && field[2] == ']')
        return field[1] == '.' ? field + 3 + strspn(field + 3, " ") : NULL;
    return field;
}

static const char *field_at(const struct ft_measured_fields *fields, size_t column)
{
    return column < fields->count ? fields->items[column] : NULL;
}

/* A row of samples that one place served. Of stores it is not known what they miss. */
static int load_line(const struct ft_measured_fields *fields, struct report *report,
                     struct ft_diag *diag)
{
    const char *symbol = field_at(fields, report->symbol);
    const char *samples = field_at(fields, report->samples);
    double count;
    if (!symbol || !samples || !ft_parse_double(samples, &count) ||
        strstr(report->event_name, "store") || strncmp(symbol, "[k]", 3) == 0)
        return FT_OK;
    symbol = symbol_name(symbol);
    return ft_load_samples_add(&report->loads, symbol && *symbol != '0' ? symbol : NULL,
                               fields->items[report->access], field_at(fields, report->tlb), count,
                               1, diag);
}

static int report_line(const char *line, struct report *report, struct ft_measured *measured,
                       struct ft_diag *diag)
{
    struct ft_measured_fields fields;
    struct ft_measured_event event;
    FT_TRY(ft_measured_fields_cut(line, report->separator, report->count, &fields, diag));
    if (field_at(&fields, report->access)) {
        const int status = load_line(&fields, report, diag);
        ft_measured_fields_fini(&fields);
        return status;
    }
    const bool known = ft_measured_event_find(report->event_name, &event);
    double value = 0;
    bool has_value = false;
    if (report->period < fields.count) {
        has_value = ft_parse_double(fields.items[report->period], &value);
    } else if (report->overhead < fields.count && report->event_count > 0) {
        value = strtod(fields.items[report->overhead], NULL) / 100 * report->event_count;
        has_value = value > 0;
    }
    const char *symbol =
        report->symbol < fields.count ? symbol_name(fields.items[report->symbol]) : NULL;
    int status = FT_OK;
    if (has_value && symbol)
        status = ft_measured_add(measured, symbol, report->event_name, known ? &event : NULL, value,
                                 diag);
    ft_measured_fields_fini(&fields);
    return status;
}

static int check_head(const struct report *report, const char *path, size_t line,
                      struct ft_diag *diag)
{
    const char *wrong =
        report->symbol == report->count
            ? "the report has no column Symbol (perf report --sort symbol -t,)"
        : report->access < report->count && report->samples == report->count
            ? "the report has no column Samples (perf report --mem-mode -n --sort mem,symbol -t,)"
        : !report->event_name[0] ? "the report does not say of which event: leave its lines that "
                                   "begin with # in"
                                 : NULL;
    if (wrong)
        return ft_fail(diag, FT_ERROR_DATA, "%s: line %zu: %s", path, line, wrong);
    return report->access < report->count ? ft_load_event_check(report->event_name, path, diag)
                                          : FT_OK;
}

/* Loads are shares of all of an event: so they are known at its end. */
static int end_event(struct report *report, struct ft_measured *measured, struct ft_diag *diag)
{
    const int status = ft_load_samples_measure(&report->loads, report->loads_event, measured, diag);
    ft_load_samples_fini(&report->loads);
    return status;
}

static int begin_event(const char *head, struct report *report, struct ft_measured *measured,
                       struct ft_diag *diag)
{
    FT_TRY(end_event(report, measured, diag));
    memcpy(report->loads_event, report->event_name, sizeof report->loads_event);
    return read_head(head, report, diag);
}

int ft_measured_perf_report(const struct ft_measured_lines *lines, struct ft_measured *measured,
                            struct ft_diag *diag)
{
    struct report report = {0};
    int status = FT_OK;
    for (size_t i = 0; status == FT_OK && i < lines->count; i++) {
        const char *line = lines->items[i], *head = head_of(line);
        if (head)
            status = begin_event(head, &report, measured, diag);
        else if (line[0] == '#')
            read_comment(line, &report);
        else if (!is_comment(line) && report.count > 0)
            status = report_line(line, &report, measured, diag);
        if (status == FT_OK && head)
            status = check_head(&report, lines->path, i + 1, diag);
    }
    if (status == FT_OK)
        status = end_event(&report, measured, diag);
    ft_load_samples_fini(&report.loads);
    return status;
}
