/*
 * CSV: a row for each scope, the program first, report by report; columns of levels are those of
 * all machines. JSON: an object for each report.
 */
#include <math.h>
#include <stdlib.h>

#include "formats/base/array.h"
#include "formats/commands/model_report.h"
#include "formats/commands/scope_report.h"
#include "machines/commands/level_report.h"
#include "predict/commands/interval_data.h"
#include "predict/commands/penalty_cells.h"
#include "predict/commands/report.h"
#include "predict/intervals/regimes.h"
#include "predict/intervals/string_calls.h"
#include "predict/time_bounds.h"

static const char *const metric_names[FT_METRIC_COUNT] = {
    "accesses", "instructions", "flops", "schedule_cycles", "memory_cycles", "serial_cycles"};
static const char *const bound_names[] = {"seconds_at_least", "seconds_at_most"};
static const char *const convolver_names[] = {"convolver_seconds", "convolver_low",
                                              "convolver_high", "convolver_memory_seconds",
                                              "convolver_flops_seconds"};
static const char *const time_names[] = {"seconds",     "seconds_low", "seconds_high", "limited_by",
                                         "cpu_seconds", "cpu_low",     "cpu_high"};

#define CONVOLVER_COLUMNS (sizeof convolver_names / sizeof *convolver_names)

static const struct ft_interval *intervals_of(const struct ft_prediction *prediction, size_t scope)
{
    return prediction->intervals + scope * prediction->width;
}

/* ---- CSV ---- */

/* The levels of all machines, each name once: a machine for its list of levels alone. */
static bool unite_levels(const struct ft_report *reports, size_t report_count,
                         struct ft_machine *ret_united)
{
    struct ft_machine united = {0};
    size_t capacity = 0;
    for (size_t r = 0; r < report_count; r++) {
        const struct ft_machine *machine = reports[r].prediction->machine;
        for (size_t i = 0; i < machine->level_count; i++) {
            if (ft_machine_find_level(&united, machine->levels[i].name) < united.level_count)
                continue;
            if (!FT_RESERVE(united.levels, capacity, united.level_count + 1)) {
                free(united.levels);
                return false;
            }
            united.levels[united.level_count++] = machine->levels[i];
        }
    }
    *ret_united = united;
    return true;
}

static void add_estimate(struct ft_table *table, const struct ft_prediction *prediction,
                         uint32_t scope, size_t column)
{
    ft_table_known(table, prediction->inclusive[scope * prediction->width + column],
                   &intervals_of(prediction, scope)[column]);
}

static void add_interval_cells(struct ft_table *table, const struct ft_prediction *prediction,
                               uint32_t scope, size_t column)
{
    ft_table_ends(table, &intervals_of(prediction, scope)[column]);
}

static void add_interval_columns(struct ft_table *table, const struct ft_machine *machine)
{
    static const char *const ends[] = {"low", "high"};
    for (size_t column = 0; column < FT_METRIC_COUNT; column++)
        for (size_t end = 0; end < 2; end++)
            ft_key_column(table, metric_names[column], ends[end]);
    for (size_t i = 0; i < machine->level_count; i++)
        for (size_t end = 0; end < 4; end++) {
            char what[64];
            snprintf(what, sizeof what, "predicted_%s_%s",
                     end < 2 ? "fully_associative" : "set_associative", ends[end % 2]);
            ft_level_column(table, &machine->levels[i], what);
        }
}

static void add_columns(struct ft_table *table, const struct ft_machine *united, bool several,
                        const struct ft_report *first)
{
    const bool with_check = first->check != NULL;
    if (several) {
        ft_table_column(table, "machine", "machine", false);
        ft_table_column(table, "at", "at", false);
    }
    ft_scope_columns(table, true);
    for (size_t column = 0; column < FT_METRIC_COUNT; column++)
        ft_table_column(table, metric_names[column], metric_names[column], true);
    for (size_t i = 0; i < 2; i++)
        ft_table_column(table, bound_names[i], bound_names[i], true);
    for (size_t i = 0; i < sizeof time_names / sizeof *time_names; i++)
        ft_table_column(table, time_names[i], time_names[i], true);
    for (size_t i = 0; first->prediction->convolved && i < CONVOLVER_COLUMNS; i++)
        ft_table_column(table, convolver_names[i], convolver_names[i], true);
    if (first->prediction->penalties)
        ft_penalty_columns(table);
    ft_level_columns(table, true, united, "predicted");
    if (with_check) {
        ft_table_column(table, "simulated_accesses", "simulated_accesses", true);
        ft_level_columns(table, true, united, "simulated");
    }
    for (size_t i = 0; i < united->level_count; i++)
        ft_level_column(table, &united->levels[i], "resolved");
    add_interval_columns(table, united);
}

typedef void add_level_cells(struct ft_table *table, const struct ft_report *report, uint32_t scope,
                             size_t level);

static void add_predicted(struct ft_table *table, const struct ft_report *report, uint32_t scope,
                          size_t level)
{
    add_estimate(table, report->prediction, scope, ft_fully_assoc_column(level));
    add_estimate(table, report->prediction, scope, ft_set_assoc_column(level));
}

static void add_simulated(struct ft_table *table, const struct ft_report *report, uint32_t scope,
                          size_t level)
{
    const double *simulated = report->check->inclusive + scope * report->check->width;
    ft_table_count(table, simulated[1 + 2 * level]);
    ft_table_count(table, simulated[2 + 2 * level]);
}

static void add_resolved(struct ft_table *table, const struct ft_report *report, uint32_t scope,
                         size_t level)
{
    (void)scope;
    ft_table_text(table, report->prediction->resolutions[level].resolved ? "1" : "0");
}

static void add_intervals(struct ft_table *table, const struct ft_report *report, uint32_t scope,
                          size_t level)
{
    add_interval_cells(table, report->prediction, scope, ft_fully_assoc_column(level));
    add_interval_cells(table, report->prediction, scope, ft_set_assoc_column(level));
}

/* The cells of each level, `cells` of them; empty where the report's machine has no such level. */
static void add_levels(struct ft_table *table, const struct ft_report *report, uint32_t scope,
                       const struct ft_machine *united, size_t cells, add_level_cells *add)
{
    const struct ft_machine *machine = report->prediction->machine;
    for (size_t i = 0; i < united->level_count; i++) {
        const size_t level = ft_machine_find_level(machine, united->levels[i].name);
        if (level < machine->level_count)
            add(table, report, scope, level);
        for (size_t k = 0; level == machine->level_count && k < cells; k++)
            ft_table_empty(table);
    }
}

static void add_time(struct ft_table *table, const struct ft_prediction *prediction, uint32_t scope)
{
    const struct ft_time_estimate none = {NAN, NAN, NAN, NAN, NAN, NAN, NAN},
                                  *estimate =
                                      prediction->estimates ? &prediction->estimates[scope] : &none;
    ft_table_end(table, estimate->seconds);
    ft_table_end(table, estimate->low);
    ft_table_end(table, estimate->high);
    ft_table_text(table, prediction->times ? prediction->times[scope].limit : "");
    ft_table_end(table, estimate->cpu_seconds);
    ft_table_end(table, estimate->cpu_low);
    ft_table_end(table, estimate->cpu_high);
}

/* Where the first report has such times; this one may be of a machine without. */
static void add_convolved(struct ft_table *table, const struct ft_prediction *prediction,
                          uint32_t scope)
{
    const struct ft_convolved_time none = {NAN, NAN, NAN, NAN, NAN},
                                   *time = prediction->convolved ? &prediction->convolved[scope]
                                                                 : &none;
    ft_table_end(table, time->seconds);
    ft_table_end(table, time->low);
    ft_table_end(table, time->high);
    ft_table_end(table, time->memory_seconds);
    ft_table_end(table, time->flops_seconds);
}

static void add_row(struct ft_table *table, const struct ft_report *report, uint32_t scope,
                    const struct ft_machine *united, bool with_convolver)
{
    const struct ft_prediction *prediction = report->prediction;
    ft_scope_cells(table, true, &prediction->model->scopes, scope);
    const struct ft_time_bounds bounds = ft_time_bounds_of(prediction, scope);
    for (size_t column = 0; column < FT_METRIC_COUNT; column++)
        add_estimate(table, prediction, scope, column);
    ft_table_end(table, bounds.least_seconds);
    ft_table_end(table, bounds.most_seconds);
    add_time(table, prediction, scope);
    if (with_convolver)
        add_convolved(table, prediction, scope);
    if (prediction->penalties)
        ft_penalty_cells(table, &prediction->penalties[scope]);
    add_levels(table, report, scope, united, 2, add_predicted);
    if (report->check) {
        ft_table_count(table, report->check->inclusive[scope * report->check->width]);
        add_levels(table, report, scope, united, 2, add_simulated);
    }
    add_levels(table, report, scope, united, 1, add_resolved);
    for (size_t column = 0; column < FT_METRIC_COUNT; column++)
        add_interval_cells(table, prediction, scope, column);
    add_levels(table, report, scope, united, 4, add_intervals);
}

int ft_reports_csv(const struct ft_report *reports, size_t report_count, FILE *stream,
                   struct ft_diag *diag)
{
    struct ft_machine united = {0};
    struct ft_table *table = ft_table_create();
    if (!table || !unite_levels(reports, report_count, &united)) {
        ft_table_destroy(table);
        return ft_fail_memory(diag, "a table");
    }
    add_columns(table, &united, report_count > 1, &reports[0]);
    for (size_t r = 0; r < report_count; r++)
        for (size_t i = 0; i <= reports[r].count; i++) {
            char point[FT_REPORT_POINT_TEXT];
            if (report_count > 1) {
                ft_table_text(table, reports[r].prediction->machine->name);
                ft_table_text(table, ft_report_point_text(point, reports[r].prediction));
            }
            add_row(table, &reports[r], i == 0 ? 0 : reports[r].list[i - 1], &united,
                    reports[0].prediction->convolved != NULL);
        }
    int status = ft_table_write(table, stream, true, diag);
    ft_table_destroy(table);
    free(united.levels);
    return status;
}

/* ---- JSON ---- */

static json_t *resolution_json(const struct ft_resolution *resolution)
{
    return json_pack("{s:o, s:b}", "training_blocks", ft_json_number(resolution->training_blocks),
                     "resolved", resolution->resolved);
}

static json_t *group_data_json(const struct ft_group_data *data, size_t group)
{
    json_t *list = json_array();
    size_t count;
    const size_t first = ft_group_data_of(data, group, &count);
    for (size_t i = first; i < first + count; i++) {
        const struct ft_named_data *object = &data->objects[data->touched[i].object];
        ft_json_append(&list, json_pack("{s:o, s:o}", "kind", ft_json_text(object->kind), "name",
                                        ft_json_text(object->name)));
    }
    return list;
}

/* The worst group of a level, or null. */
static json_t *conflict_json(const struct ft_prediction *prediction, size_t level)
{
    const struct ft_set_conflict *conflict = &prediction->conflicts[level];
    const struct ft_model *model = prediction->model;
    if (!ft_set_conflict_matters(conflict))
        return json_null();
    const struct ft_model_group *group = &model->groups[conflict->group];
    return json_pack(
        "{s:o, s:I, s:o, s:o, s:o, s:o}", "loop",
        ft_json_text(model->scopes.scopes[group->scope].name), "line", (json_int_t)group->line,
        "data", group_data_json(&model->data, conflict->group), "stride_bytes",
        ft_json_number(conflict->stride_bytes), "sets_reached",
        ft_json_number(conflict->sets_reached), "misses", ft_json_number(conflict->worst));
}

static json_t *method_json(const struct ft_prediction *prediction, size_t level)
{
    return json_pack(
        "{s:b, s:s, s:s}", "threads_known", !prediction->is_unshared[level], "fully_associative_by",
        ft_misses_by_name(prediction->misses_by[ft_fully_assoc_column(level)]),
        "set_associative_by", ft_misses_by_name(prediction->misses_by[ft_set_assoc_column(level)]));
}

static json_t *level_json(const struct ft_report *report, uint32_t scope, size_t level)
{
    const struct ft_prediction *prediction = report->prediction;
    const double *predicted =
        prediction->inclusive + scope * prediction->width + ft_fully_assoc_column(level);
    const struct ft_interval *intervals =
        intervals_of(prediction, scope) + ft_fully_assoc_column(level);
    json_t *entry = ft_json_merge(
        ft_level_json(&prediction->machine->levels[level]),
        json_pack("{s:o, s:o, s:o, s:o}", "predicted_fully_associative",
                  ft_estimate_json(predicted[0], &intervals[0]), "fully_associative_interval",
                  ft_interval_json(&intervals[0]), "predicted_set_associative",
                  ft_estimate_json(predicted[1], &intervals[1]), "set_associative_interval",
                  ft_interval_json(&intervals[1])));
    if (scope == 0)
        entry = ft_json_merge(entry, method_json(prediction, level));
    if (scope == 0)
        entry =
            ft_json_merge(ft_json_merge(entry, resolution_json(&prediction->resolutions[level])),
                          json_pack("{s:o}", "conflicts", conflict_json(prediction, level)));
    if (!report->check)
        return entry;
    const double *simulated =
        report->check->inclusive + scope * report->check->width + 1 + 2 * level;
    return ft_json_merge(
        entry,
        json_pack("{s:I, s:I, s:o, s:o}", "simulated_fully_associative", (json_int_t)simulated[0],
                  "simulated_set_associative", (json_int_t)simulated[1], "fully_associative_error",
                  ft_error_json(predicted[0], &intervals[0], simulated[0]), "set_associative_error",
                  ft_error_json(predicted[1], &intervals[1], simulated[1])));
}

/* The estimate, and where a scope's own time goes; null where there is none. */
static json_t *time_json(const struct ft_prediction *prediction, uint32_t scope)
{
    if (!prediction->times)
        return json_pack("{s:n, s:n, s:n, s:n, s:n}", "seconds", "seconds_interval", "cpu_seconds",
                         "cpu_seconds_interval", "time");
    const struct ft_time_estimate *estimate = &prediction->estimates[scope];
    const struct ft_scope_time *time = &prediction->times[scope];
    return json_pack(
        "{s:f, s:[f, f], s:f, s:[f, f], s:{s:f, s:f, s:f, s:f, s:f, s:f, s:f, s:f, s:s}}",
        "seconds", estimate->seconds, "seconds_interval", estimate->low, estimate->high,
        "cpu_seconds", estimate->cpu_seconds, "cpu_seconds_interval", estimate->cpu_low,
        estimate->cpu_high, "time", "threads", time->together, "core_cycles", time->core.cycles,
        "mispredictions", time->core.mispredictions, "misprediction_cycles", time->mispredicted,
        "overlapped_miss_cycles", time->memory, "chained_miss_cycles", time->chains,
        "page_fault_cycles", time->page_faults, "unknown_instructions",
        time->core.unknown_instructions, "limited_by", time->limit);
}

static json_t *convolved_json(const struct ft_convolved_time *time)
{
    return json_pack(
        "{s:{s:o, s:[o, o], s:o, s:o}}", "convolver", "seconds", ft_json_number(time->seconds),
        "seconds_interval", ft_json_number(time->low), ft_json_number(time->high), "memory_seconds",
        ft_json_number(time->memory_seconds), "flops_seconds", ft_json_number(time->flops_seconds));
}

static json_t *metrics_json(const struct ft_report *report, uint32_t scope)
{
    const struct ft_prediction *prediction = report->prediction;
    const double *row = prediction->inclusive + scope * prediction->width;
    const struct ft_interval *intervals = intervals_of(prediction, scope);
    const struct ft_time_bounds bounds = ft_time_bounds_of(prediction, scope);
    json_t *metrics = json_object(), *levels = json_array();
    for (size_t column = 0; column < FT_METRIC_COUNT; column++) {
        char key[64];
        snprintf(key, sizeof key, "%s_interval", metric_names[column]);
        json_t *interval = ft_interval_json(&intervals[column]);
        metrics = ft_json_merge(
            metrics, json_pack("{s:o, s:o}", metric_names[column],
                               ft_estimate_json(row[column], &intervals[column]), key, interval));
    }
    metrics = ft_json_merge(metrics, json_pack("{s:o, s:o}", bound_names[0],
                                               ft_json_number(bounds.least_seconds), bound_names[1],
                                               ft_json_number(bounds.most_seconds)));
    metrics = ft_json_merge(metrics, time_json(prediction, scope));
    if (prediction->convolved)
        metrics = ft_json_merge(metrics, convolved_json(&prediction->convolved[scope]));
    if (prediction->penalties)
        metrics = ft_json_merge(metrics, ft_penalty_json(prediction, scope));
    for (size_t i = 0; i < prediction->machine->level_count; i++)
        ft_json_append(&levels, level_json(report, scope, i));
    metrics = ft_json_merge(metrics, json_pack("{s:o}", "levels", levels));
    if (!report->check)
        return metrics;
    return ft_json_merge(
        metrics, json_pack("{s:I}", "simulated_accesses",
                           (json_int_t)report->check->inclusive[scope * report->check->width]));
}

/* The regimes that were dropped, each with the training sizes that functions left out. */
static json_t *left_out_json(const struct ft_prediction *prediction)
{
    const struct ft_model *model = prediction->model;
    struct ft_regime regimes[FT_REGIMES_MAX];
    const size_t count = ft_regimes_dropped(model, prediction->machine, regimes);
    json_t *list = json_array();
    for (size_t i = 0; i < count; i++) {
        json_t *sizes = json_array();
        for (size_t k = 0; k < regimes[i].left_out && k < model->training_count; k++)
            ft_json_append(&sizes, ft_json_number(model->training[k]));
        ft_json_append(&list, json_pack("{s:o, s:o, s:o}", "sizes", sizes, "share",
                                        ft_json_number(regimes[i].share), "most_in",
                                        ft_json_text(model->scopes.scopes[regimes[i].scope].name)));
    }
    return list;
}

/* The routine, or null. */
static json_t *string_calls_json(const struct ft_prediction *prediction)
{
    return prediction->long_string_calls == FT_NO_STRING_CALLS
               ? json_null()
               : ft_json_text(prediction->model->scopes.scopes[prediction->long_string_calls].name);
}

static json_t *fitted_json(const struct ft_prediction *prediction)
{
    const struct ft_model *model = prediction->model;
    return json_pack(
        "{s:o, s:I, s:I, s:o, s:o, s:o, s:b, s:o, s:I, s:o, s:o}", "parameter",
        ft_json_text(model->parameter), "sizes", (json_int_t)model->training_count, "counted_sizes",
        (json_int_t)model->counted.count, "smallest", ft_json_number(model->training[0]), "largest",
        ft_json_number(model->training[model->training_count - 1]), "extrapolation",
        ft_json_number(prediction->extrapolation), "extrapolated", prediction->extrapolation != 1,
        "matched_share", ft_json_number(model->matched_share), "replicas",
        (json_int_t)model->replica_count, "left_out", left_out_json(prediction),
        "long_string_calls", string_calls_json(prediction));
}

static json_t *report_json(const struct ft_report *report)
{
    const struct ft_prediction *prediction = report->prediction;
    const struct ft_model *model = prediction->model;
    json_t *loops = json_array();
    for (size_t i = 0; i < report->count; i++)
        ft_json_append(&loops, ft_json_merge(ft_scope_json(&model->scopes, report->list[i]),
                                             metrics_json(report, report->list[i])));
    json_t *parameters = json_object();
    if (parameters &&
        json_object_set_new(parameters, model->parameter, ft_json_number(prediction->n)) != 0) {
        json_decref(parameters);
        parameters = NULL;
    }
    for (size_t i = 0; i < model->fixed_count; i++)
        parameters = ft_json_merge(parameters, json_pack("{s:o}", model->fixed[i].name,
                                                         ft_json_number(model->fixed[i].value)));
    json_t *value =
        json_pack("{s:o, s:o, s:f, s:o, s:o, s:o, s:o}", "program", ft_json_text(model->program),
                  "machine", ft_json_text(prediction->machine->name), "threads",
                  prediction->threads.count, "parameters", parameters, "fitted",
                  fitted_json(prediction), "total", metrics_json(report, 0), "loops", loops);
    value = ft_query_point_json(value, model, &prediction->size);
    if (report->check)
        value = ft_json_merge(value, json_pack("{s:{s:s, s:o}}", "check", "trace",
                                               report->check->trace_hash, "matched_share",
                                               ft_json_number(report->check->matched_share)));
    return value;
}

int ft_reports_json(const struct ft_report *reports, size_t report_count, FILE *stream,
                    struct ft_diag *diag)
{
    if (report_count == 1)
        return ft_json_write(report_json(&reports[0]), stream, diag);
    json_t *list = json_array();
    for (size_t r = 0; r < report_count; r++)
        ft_json_append(&list, report_json(&reports[r]));
    return ft_json_write(list, stream, diag);
}
