/*
 * A routine of a file is the model's of the same name, or of the same name without what follows a
 * '(' or '.': arguments and what compilers append to clones. What the model has of it several
 * times, of several modules, is summed up.
 */
#include "predict/commands/measured_rows.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "formats/base/array.h"

/* ---- forecasts ---- */

struct value {
    double value, low, high;
};

static struct value scope_value(const struct ft_prediction *prediction,
                                const struct ft_measured_event *event, size_t level, size_t scope)
{
    const struct value unknown = {NAN, NAN, NAN};
    if (event->kind == FT_MEASURED_TIME || event->kind == FT_MEASURED_CYCLES) {
        if (!prediction->estimates)
            return unknown;
        const double scale =
            event->kind == FT_MEASURED_TIME ? 1 : 1e9 * prediction->machine->clock_ghz;
        const struct ft_time_estimate *time = &prediction->estimates[scope];
        return (struct value){scale * time->seconds, scale * time->low, scale * time->high};
    }
    const size_t column = event->kind == FT_MEASURED_INSTRUCTIONS ? FT_METRIC_INSTRUCTIONS
                                                                  : ft_set_assoc_column(level);
    const size_t place = scope * prediction->width + column;
    const struct ft_interval *interval = &prediction->intervals[place];
    if (ft_interval_is_refused(interval))
        return unknown;
    return (struct value){prediction->inclusive[place], interval->low, interval->high};
}

static bool is_called(const struct ft_scope *scope, const char *name, size_t length)
{
    return scope->kind == FT_SCOPE_ROUTINE && strncmp(scope->name, name, length) == 0 &&
           (!scope->name[length] || strchr("(.", scope->name[length]));
}

/* The sum over the routines whose names begin so, up to an end of a name; false: there are none. */
static bool sum_routines(const struct ft_prediction *prediction,
                         const struct ft_measured_event *event, size_t level, const char *name,
                         size_t length, struct value *ret_sum)
{
    const struct ft_scopes *scopes = &prediction->model->scopes;
    struct value sum = {0, 0, 0};
    bool any = false;
    for (size_t i = 0; i < scopes->scope_count; i++) {
        if (!is_called(&scopes->scopes[i], name, length))
            continue;
        const struct value of = scope_value(prediction, event, level, i);
        sum = (struct value){sum.value + of.value, sum.low + of.low, sum.high + of.high};
        any = true;
    }
    *ret_sum = sum;
    return any;
}

static bool routine_value(const struct ft_prediction *prediction,
                          const struct ft_measured_event *event, size_t level, const char *name,
                          struct value *ret_value)
{
    const size_t stem = strcspn(name, "(.");
    return sum_routines(prediction, event, level, name, strlen(name), ret_value) ||
           (stem > 0 && sum_routines(prediction, event, level, name, stem, ret_value));
}

/* ---- rows ---- */

static int add_name(const char ***names, size_t *count, size_t *capacity, const char *name,
                    struct ft_diag *diag)
{
    for (size_t i = 0; i < *count; i++)
        if (strcmp((*names)[i], name) == 0)
            return FT_OK;
    if (!FT_RESERVE(*names, *capacity, *count + 1))
        return ft_fail_memory(diag, "measured values");
    (*names)[(*count)++] = name;
    return FT_OK;
}

static int add_row(struct ft_beside_rows *rows, const struct ft_beside *row, struct ft_diag *diag)
{
    if (!FT_RESERVE(rows->items, rows->capacity, rows->count + 1))
        return ft_fail_memory(diag, "measured values");
    rows->items[rows->count++] = *row;
    return FT_OK;
}

static const char *what_of(const struct ft_machine *machine, const struct ft_measured_event *event,
                           size_t level)
{
    static const char *const names[] = {"time", "cycles", "instructions"};
    return event->kind == FT_MEASURED_MISSES ? machine->levels[level].name : names[event->kind];
}

static int add_measured(const struct ft_prediction *prediction,
                        const struct ft_measured_row *measured, struct ft_beside_rows *rows,
                        struct ft_diag *diag)
{
    const struct ft_measured_event *event = &measured->what;
    const size_t level = ft_measured_level(event, prediction->machine);
    struct value value;
    if (event->kind == FT_MEASURED_MISSES && level == prediction->machine->level_count)
        return add_name(&rows->levels, &rows->level_count, &rows->level_capacity, measured->event,
                        diag);
    if (!measured->routine)
        value = scope_value(prediction, event, level, 0);
    else if (!routine_value(prediction, event, level, measured->routine, &value))
        return add_name(&rows->strangers, &rows->stranger_count, &rows->stranger_capacity,
                        measured->routine, diag);
    const struct ft_beside row = {.prediction = prediction,
                                  .routine = measured->routine,
                                  .what = what_of(prediction->machine, event, level),
                                  .event = measured->event,
                                  .forecast = value.value,
                                  .low = value.low,
                                  .high = value.high,
                                  .measured = measured->value,
                                  .median = NAN};
    return add_row(rows, &row, diag);
}

/* Routines with hardly any of the events: counts of a few samples say nothing of a model. */
static void mark_minor(struct ft_beside_rows *rows, const struct ft_measured *measured)
{
    for (size_t i = 0; i < rows->count; i++) {
        struct ft_beside *row = &rows->items[i];
        double all = 0;
        for (size_t k = 0; k < measured->count; k++)
            if (measured->rows[k].routine && strcmp(measured->rows[k].event, row->event) == 0)
                all += measured->rows[k].value;
        row->is_minor = row->routine && row->measured < FT_BESIDE_MINOR * all;
    }
}

int ft_beside_rows_of_files(const struct ft_prediction *prediction,
                            const struct ft_measured *measured, struct ft_beside_rows *ret_rows,
                            struct ft_diag *diag)
{
    struct ft_beside_rows rows = {0};
    int status = FT_OK;
    for (size_t i = 0; status == FT_OK && i < measured->count; i++)
        status = add_measured(prediction, &measured->rows[i], &rows, diag);
    if (status == FT_OK) {
        mark_minor(&rows, measured);
        *ret_rows = rows;
    } else {
        ft_beside_rows_fini(&rows);
    }
    return status;
}

/* The same by the convolver. */
static void set_convolved(struct ft_beside *row, const struct ft_prediction *base)
{
    const struct ft_convolved_time *time = &row->prediction->convolved[0];
    const double start = base->convolved[0].seconds;
    row->what = FT_BESIDE_CONVOLVER;
    row->forecast = time->seconds - start;
    row->low = time->low - start;
    row->high = time->high - start;
}

int ft_beside_rows_of_runs(const struct ft_report *reports, const struct ft_native_time *times,
                           const size_t *bases, size_t point_count, struct ft_beside_rows *ret_rows,
                           struct ft_diag *diag)
{
    static const struct ft_measured_event time = {.kind = FT_MEASURED_TIME, .unit = 1};
    struct ft_beside_rows rows = {0};
    int status = FT_OK;
    for (size_t i = 0; status == FT_OK && i < point_count; i++) {
        const size_t base = bases[i];
        const struct value value = scope_value(reports[i].prediction, &time, 0, 0);
        const double start = scope_value(reports[base].prediction, &time, 0, 0).value;
        struct ft_beside row = {.prediction = reports[i].prediction,
                                .what = "time",
                                .forecast = value.value - start,
                                .low = value.low - start,
                                .high = value.high - start,
                                .measured = times[i].min_seconds - times[base].min_seconds,
                                .median = times[i].median_seconds - times[base].median_seconds};
        status = add_row(&rows, &row, diag);
        if (status == FT_OK && reports[i].prediction->convolved) {
            set_convolved(&row, reports[base].prediction);
            status = add_row(&rows, &row, diag);
        }
    }
    if (status == FT_OK)
        *ret_rows = rows;
    else
        ft_beside_rows_fini(&rows);
    return status;
}

void ft_beside_rows_fini(struct ft_beside_rows *rows)
{
    free(rows->items);
    free((void *)rows->strangers);
    free((void *)rows->levels);
    *rows = (struct ft_beside_rows){0};
}

/* ---- errors ---- */

bool ft_beside_has_interval(const struct ft_beside *row)
{
    return !isnan(row->low) && !isnan(row->high) && !isnan(row->forecast);
}

bool ft_beside_is_inside(const struct ft_beside *row)
{
    return ft_beside_has_interval(row) && row->measured >= row->low && row->measured <= row->high;
}

int ft_beside_summary(const struct ft_beside_rows *rows, const char *what,
                      struct ft_error_summary *ret_summary, struct ft_diag *diag)
{
    double *errors = calloc(rows->count + 1, sizeof *errors);
    size_t count = 0, inside = 0, known = 0;
    if (!errors)
        return ft_fail_memory(diag, "errors");
    for (size_t i = 0; i < rows->count; i++) {
        const struct ft_beside *row = &rows->items[i];
        if (row->is_minor || (what && strcmp(row->what, what) != 0))
            continue;
        errors[count++] = ft_beside_error(row);
        known += ft_beside_has_interval(row);
        inside += ft_beside_is_inside(row);
    }
    *ret_summary = ft_error_summary_of(errors, count);
    ret_summary->inside = inside;
    ret_summary->known = known;
    free(errors);
    return FT_OK;
}
