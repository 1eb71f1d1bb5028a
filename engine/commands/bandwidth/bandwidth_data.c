#include "engine/commands/bandwidth/bandwidth_report.h"

#include "formats/cli/json.h"
#include "formats/cli/table.h"

/* ---- JSON ---- */

static json_t *numbers_json(const double *values, size_t count)
{
    json_t *list = json_array();
    for (size_t i = 0; i < count; i++)
        ft_json_append(&list, ft_json_number(values[i]));
    return list;
}

static json_t *curves_json(const struct ft_bandwidth_report *report,
                           const struct ft_bandwidth_function *function)
{
    const struct ft_bandwidth_points *points = &report->model.points;
    json_t *curves = json_array();
    for (uint64_t stride = 0; stride != UINT64_MAX;
         stride = ft_bandwidth_next_stride(points, stride)) {
        const struct ft_bandwidth_error error = ft_bandwidth_error_of(function, points, stride);
        if (error.points == 0)
            continue;
        ft_json_append(&curves,
                       json_pack("{s:I, s:I, s:f, s:f}", "stride_bytes", (json_int_t)stride,
                                 "points", (json_int_t)error.points, "error_mean", error.mean,
                                 "error_deviation", error.deviation));
    }
    return curves;
}

static json_t *function_json(const struct ft_bandwidth_report *report,
                             const struct ft_trained_function *trained)
{
    const struct ft_bandwidth_function *function = &trained->function;
    const size_t penalties = function->penalty == FT_PENALTY_NONE
                                 ? 0
                                 : ft_bandwidth_penalty_count(function->level_count);
    return json_pack(
        "{s:s, s:s, s:f, s:f, s:o, s:o, s:o, s:o, s:f, s:o}", "method",
        ft_training_method_names[trained->method], "penalty", ft_penalty_names[function->penalty],
        "error_mean", trained->error.mean, "error_deviation", trained->error.deviation, "cycles",
        numbers_json(function->cycles, function->level_count), "gb_per_s",
        numbers_json(function->gb_per_s, function->level_count), "factors",
        numbers_json(function->factors, penalties), "offsets",
        numbers_json(function->offsets, penalties), "factor_max",
        ft_penalty_factor_max(function->penalty), "curves", curves_json(report, function));
}

/* The bins that are not empty. */
static json_t *bins_json(const struct ft_bandwidth_report *report,
                         const struct ft_hit_rate_coverage *coverage)
{
    json_t *bins = json_array();
    for (size_t first = 0; first < FT_HIT_RATE_BINS; first++)
        for (size_t second = 0; second < FT_HIT_RATE_BINS; second++)
            if (coverage->counts[first][second] > 0)
                ft_json_append(&bins,
                               json_pack("{s:s, s:s, s:I, s:f, s:b}", "first",
                                         ft_hit_rate_bin_names[first], "second",
                                         ft_hit_rate_bin_names[second], "count",
                                         (json_int_t)coverage->counts[first][second], "weight",
                                         coverage->weights[first][second], "has_points",
                                         report->coverage.counts[first][second] > 0));
    return bins;
}

static json_t *points_json(const struct ft_bandwidth_report *report)
{
    const struct ft_bandwidth_points *points = &report->model.points;
    json_t *list = json_array();
    for (size_t i = 0; i < points->count; i++) {
        const struct ft_bandwidth_point *point = &points->items[i];
        ft_json_append(
            &list,
            json_pack("{s:I, s:I, s:I, s:f, s:f, s:f, s:I, s:o}", "size_bytes",
                      (json_int_t)point->size_bytes, "stride_bytes",
                      (json_int_t)point->stride_bytes, "length", (json_int_t)point->length, "alpha",
                      point->alpha, "gb_per_s", point->gb_per_s, "modelled_gb_per_s",
                      ft_bandwidth_at(&report->model.functions[0].function, point->hit_rates),
                      "runs", (json_int_t)point->runs, "hit_rates",
                      numbers_json(point->hit_rates, point->hit_rate_count)));
    }
    return list;
}

int ft_bandwidth_json(const struct ft_bandwidth_report *report, FILE *stream, struct ft_diag *diag)
{
    json_t *functions = json_array(), *programs = json_array(), *levels = json_array();
    for (size_t i = 0; i < report->model.function_count; i++)
        ft_json_append(&functions, function_json(report, &report->model.functions[i]));
    for (size_t i = 0; i < report->machine->cache_count; i++)
        ft_json_append(&levels, ft_json_text(report->machine->levels[i].name));
    ft_json_append(&levels, json_string("memory"));
    for (size_t i = 0; i < report->program_count; i++)
        ft_json_append(&programs, json_pack("{s:o, s:o, s:o}", "program",
                                            ft_json_text(report->programs[i].name), "trace",
                                            ft_json_text(report->programs[i].path), "bins",
                                            bins_json(report, &report->programs[i].coverage)));
    return ft_json_write(json_pack("{s:o, s:o, s:o, s:f, s:o, s:o, s:o, s:o}", "machine",
                                   ft_json_text(report->model.machine), "file",
                                   ft_json_text(report->path), "levels", levels, "error_min",
                                   report->error_min, "functions", functions, "points",
                                   points_json(report), "bins",
                                   bins_json(report, &report->coverage), "programs", programs),
                         stream, diag);
}

/* ---- CSV ---- */

int ft_bandwidth_csv(const struct ft_bandwidth_report *report, FILE *stream, struct ft_diag *diag)
{
    const struct ft_bandwidth_points *points = &report->model.points;
    struct ft_table *table = ft_table_create();
    if (!table)
        return ft_fail_memory(diag, "a table");
    ft_table_column(table, "size", "size_bytes", true);
    ft_table_column(table, "stride", "stride_bytes", true);
    ft_table_column(table, "GB/s", "gb_per_s", true);
    for (uint32_t i = 0; i < report->model.cache_count; i++) {
        char key[32];
        snprintf(key, sizeof key, "hit_rate_%u", i + 1);
        ft_table_column(table, key, key, true);
    }
    ft_table_column(table, "modelled", "modelled_gb_per_s", true);
    ft_table_column(table, "runs", "runs", true);
    ft_table_column(table, "length", "length", true);
    ft_table_column(table, "alpha", "alpha", true);
    for (size_t p = 0; p < points->count; p++) {
        const struct ft_bandwidth_point *point = &points->items[p];
        ft_table_count(table, (double)point->size_bytes);
        ft_table_count(table, (double)point->stride_bytes);
        ft_table_format(table, "%.15g", point->gb_per_s);
        for (uint32_t i = 0; i < report->model.cache_count; i++)
            ft_table_format(table, "%.15g", point->hit_rates[i]);
        ft_table_format(table, "%.15g",
                        ft_bandwidth_at(&report->model.functions[0].function, point->hit_rates));
        ft_table_count(table, point->runs);
        ft_table_count(table, point->length);
        ft_table_format(table, "%.15g", point->alpha);
    }
    const int status = ft_table_write(table, stream, true, diag);
    ft_table_destroy(table);
    return status;
}
