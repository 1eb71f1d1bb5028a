/*
 * likwid-perfctr -O (its manual: "Print output in CSV format ... contains some markers that help to
 * parse the output"): tables that begin with "TABLE,Group 1 Raw,L2,4,", of a marked region with
 * "TABLE,Region NAME,Group 1 Raw,L2,4,"; in "Raw" tables rows "EVENT,COUNTER,value of each core",
 * of a region first "RDTSC Runtime [s],seconds of each core". In "Metric" tables only the run time
 * of the whole program counts here; "STAT" tables repeat the others. Counts are summed over cores,
 * of times the longest is taken.
 */
#include <stdio.h>
#include <string.h>

#include "formats/base/parse.h"
#include "predict/measured/readers.h"

#define TABLE "TABLE,"

bool ft_measured_is_likwid(const struct ft_measured_lines *lines)
{
    for (size_t i = 0; i < lines->count; i++)
        if (strncmp(lines->items[i], TABLE, strlen(TABLE)) == 0)
            return true;
    return false;
}

/* What the rows of a table are. */
struct table {
    char region[256]; /* "": the whole program */
    bool is_raw, is_metric;
};

static void read_head(const struct ft_measured_fields *fields, struct table *ret_table)
{
    static const char region[] = "Region ";
    struct table table = {0};
    size_t group = 1;
    if (fields->count > 2 && strncmp(fields->items[1], region, strlen(region)) == 0) {
        snprintf(table.region, sizeof table.region, "%s", fields->items[1] + strlen(region));
        group = 2;
    }
    const char *kind = group < fields->count ? fields->items[group] : "";
    const size_t length = strlen(kind);
    table.is_raw = length > 3 && strcmp(kind + length - 3, "Raw") == 0;
    table.is_metric = length > 6 && strcmp(kind + length - 6, "Metric") == 0;
    *ret_table = table;
}

/* The sum over cores, or the longest time. */
static bool read_values(const struct ft_measured_fields *fields, size_t first, bool is_time,
                        double *ret_value)
{
    double sum = 0, value;
    bool any = false;
    for (size_t i = first; i < fields->count; i++)
        if (ft_parse_double(fields->items[i], &value)) {
            sum = is_time ? (value > sum ? value : sum) : sum + value;
            any = true;
        }
    *ret_value = sum;
    return any;
}

static int table_row(const struct ft_measured_fields *fields, const struct table *table,
                     struct ft_measured *measured, struct ft_diag *diag)
{
    static const char *const no_events[] = {"Event", "Region Info", "call count", "STRUCT"};
    const char *name = fields->items[0];
    struct ft_measured_event event;
    const bool known = ft_measured_event_find(name, &event);
    const bool is_time = known && event.kind == FT_MEASURED_TIME;
    double value;
    for (size_t i = 0; i < sizeof no_events / sizeof *no_events; i++)
        if (strcmp(name, no_events[i]) == 0)
            return FT_OK;
    /* Of a region the time stands before the counters, without one. */
    const bool has_counter =
        table->is_raw && fields->count > 2 && strcmp(name, "RDTSC Runtime [s]") != 0;
    if ((table->is_metric && (!is_time || table->region[0])) ||
        !read_values(fields, has_counter ? 2 : 1, is_time, &value))
        return FT_OK;
    return ft_measured_add(measured, table->region[0] ? table->region : NULL, name,
                           known ? &event : NULL, value, diag);
}

int ft_measured_likwid(const struct ft_measured_lines *lines, struct ft_measured *measured,
                       struct ft_diag *diag)
{
    struct table table = {0};
    int status = FT_OK;
    for (size_t i = 0; status == FT_OK && i < lines->count; i++) {
        struct ft_measured_fields fields;
        status =
            ft_measured_fields_cut(lines->items[i], ',', FT_MEASURED_FIELDS_MAX, &fields, diag);
        if (status != FT_OK)
            break;
        if (strcmp(fields.items[0], "TABLE") == 0)
            read_head(&fields, &table);
        else if (strcmp(fields.items[0], "STRUCT") == 0)
            table = (struct table){0};
        else if ((table.is_raw || table.is_metric) && fields.count > 1)
            status = table_row(&fields, &table, measured, diag);
        ft_measured_fields_fini(&fields);
    }
    return status;
}
