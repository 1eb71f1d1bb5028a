/*
 * The file that PAPI's high-level API writes when the program ends
 * (papi_hl_output/rank_000000.json; PAPI wiki, "PAPI-HL"): of PAPI 7 "threads": {"0": {"regions":
 * {"0": {"name": "computation", "PAPI_TOT_INS": "...", "real_time_nsec": "..."}}}}; of PAPI 6
 * "threads": [{"id": "0", "regions":
 * [{"computation": {"PAPI_TOT_INS": "..."}}]}]. Values are texts; of a region with PAPI_hl_read an
 * object whose "total" it is. Counts of threads are summed up. "cycles" are those of the real time,
 * not the core's.
 */
#include <jansson.h>
#include <string.h>

#include "formats/base/parse.h"
#include "predict/measured/readers.h"

static const char *const no_events[] = {"name", "parent_region_id", "region_count", "cycles", "id"};

static bool is_event(const char *key)
{
    for (size_t i = 0; i < sizeof no_events / sizeof *no_events; i++)
        if (strcmp(key, no_events[i]) == 0)
            return false;
    return true;
}

static bool read_value(const json_t *value, double *ret_value)
{
    if (json_is_object(value))
        value = json_object_get(value, "total");
    if (json_is_number(value)) {
        *ret_value = json_number_value(value);
        return true;
    }
    return json_is_string(value) && ft_parse_double(json_string_value(value), ret_value);
}

static int read_region(const char *name, json_t *region, struct ft_measured *measured,
                       struct ft_diag *diag)
{
    const char *key;
    json_t *value;
    int status = FT_OK;
    json_object_foreach(region, key, value)
    {
        struct ft_measured_event event;
        double number;
        if (status == FT_OK && is_event(key) && read_value(value, &number))
            status =
                ft_measured_add(measured, name, key,
                                ft_measured_event_find(key, &event) ? &event : NULL, number, diag);
    }
    return status;
}

/* PAPI 7: an object of regions, by their number; PAPI 6: a list of objects with one each. */
static int read_regions(json_t *regions, struct ft_measured *measured, struct ft_diag *diag)
{
    const char *key;
    json_t *region, *item;
    size_t index;
    int status = FT_OK;
    json_object_foreach(regions, key, region)
    {
        const char *name = json_string_value(json_object_get(region, "name"));
        if (status == FT_OK && name)
            status = read_region(name, region, measured, diag);
    }
    json_array_foreach(regions, index, item)
    {
        json_object_foreach(item, key, region)
        {
            if (status == FT_OK && json_is_object(region))
                status = read_region(key, region, measured, diag);
        }
    }
    return status;
}

static int read_threads(json_t *threads, struct ft_measured *measured, struct ft_diag *diag)
{
    const char *key;
    json_t *thread;
    size_t index;
    int status = FT_OK;
    json_object_foreach(threads, key, thread)
    {
        if (status == FT_OK)
            status = read_regions(json_object_get(thread, "regions"), measured, diag);
    }
    json_array_foreach(threads, index, thread)
    {
        if (status == FT_OK)
            status = read_regions(json_object_get(thread, "regions"), measured, diag);
    }
    return status;
}

int ft_measured_papi(const struct ft_measured_lines *lines, struct ft_measured *measured,
                     struct ft_diag *diag)
{
    json_error_t error;
    json_t *root = json_load_file(lines->path, 0, &error);
    if (!root)
        return ft_fail(diag, FT_ERROR_DATA, "%s: line %d: %s", lines->path, error.line, error.text);
    int status = read_threads(json_object_get(root, "threads"), measured, diag);
    json_decref(root);
    return status;
}
