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
        return (struct value){scale * time->cpu_seconds, scale * time->cpu_low,
                              scale * time->cpu_high};
    }
    const size_t column = event->kind == FT_MEASURED_INSTRUCTIONS ? FT_METRIC_INSTRUCTIONS
                          : event->kind == FT_MEASURED_ACCESSES   ? FT_METRIC_ACCESSES
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

/* Of a routine, or NULL: of the program. False: the model does not have it. */
static bool value_of(const struct ft_prediction *prediction, const struct ft_measured_event *event,
                     size_t level, const char *routine, struct value *ret_value)
{
    if (routine)
        return routine_value(prediction, event, level, routine, ret_value);
    *ret_value = scope_value(prediction, event, level, 0);
    return true;
}

/* Misses per access, which misses per load are held against: the model does not tell loads from
 * stores. */
static bool ratio_of(const struct ft_prediction *prediction, const struct ft_measured_event *event,
                     size_t level, const char *routine, struct value *ret_value)
{
    static const struct ft_measured_event counts_accesses = {.kind = FT_MEASURED_ACCESSES,
                                                             .unit = 1};
    struct value misses, accesses;
    if (!value_of(prediction, event, level, routine, &misses) ||
        !value_of(prediction, &counts_accesses, level, routine, &accesses))
        return false;
    const double all = accesses.value > 0 ? accesses.value : NAN;
    *ret_value = (struct value){misses.value / all, misses.low / all, misses.high / all};
    return true;
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

/* "L2 ratio", the miss ratio of L2; NULL without memory. */
static const char *ratio_text(struct ft_beside_rows *rows, const char *level)
{
    char *text = NULL;
    if (asprintf(&text, "%s ratio", level) < 0)
        return NULL;
    for (size_t i = 0; i < rows->text_count; i++)
        if (strcmp(rows->texts[i], text) == 0) {
            free(text);
            return rows->texts[i];
        }
    if (!FT_RESERVE(rows->texts, rows->text_capacity, rows->text_count + 1)) {
        free(text);
        return NULL;
    }
    return rows->texts[rows->text_count++] = text;
}

static const char *what_of(const struct ft_machine *machine, const struct ft_measured_event *event,
                           size_t level, struct ft_beside_rows *rows)
{
    static const char *const names[] = {"time", "cycles", "instructions"};
    return event->kind == FT_MEASURED_MISSES       ? machine->levels[level].name
           : event->kind == FT_MEASURED_MISS_RATIO ? ratio_text(rows, machine->levels[level].name)
                                                   : names[event->kind];
}

/* 95 % of a share of samples, by Wilson's score interval (JASA 22, 1927), which holds for few of
 * them and for shares of 0 and 1, too. */
static void set_interval_of_ratio(struct ft_beside *row)
{
    const double z = 1.96, n = row->samples, p = row->measured;
    const double middle = (p + z * z / (2 * n)) / (1 + z * z / n);
    const double half = z * sqrt(p * (1 - p) / n + z * z / (4 * n * n)) / (1 + z * z / n);
    row->measured_low = fmin(p, fmax(middle - half, 0));
    row->measured_high = fmax(p, fmin(middle + half, 1));
}

static int add_measured(const struct ft_prediction *prediction,
                        const struct ft_measured_row *measured, struct ft_beside_rows *rows,
                        struct ft_diag *diag)
{
    const struct ft_measured_event *event = &measured->what;
    const bool is_ratio = event->kind == FT_MEASURED_MISS_RATIO;
    const size_t level = ft_measured_level(event, prediction->machine);
    struct value value;
    if ((is_ratio || event->kind == FT_MEASURED_MISSES) &&
        level == prediction->machine->level_count)
        return add_name(&rows->levels, &rows->level_count, &rows->level_capacity, measured->event,
                        diag);
    if (!(is_ratio ? ratio_of : value_of)(prediction, event, level, measured->routine, &value))
        return add_name(&rows->strangers, &rows->stranger_count, &rows->stranger_capacity,
                        measured->routine, diag);
    struct ft_beside row = {.prediction = prediction,
                            .routine = measured->routine,
                            .what = what_of(prediction->machine, event, level, rows),
                            .event = measured->event,
                            .forecast = value.value,
                            .low = value.low,
                            .high = value.high,
                            .measured = measured->value,
                            .measured_low = NAN,
                            .measured_high = NAN,
                            .median = NAN,
                            .samples = measured->samples};
    if (is_ratio)
        set_interval_of_ratio(&row);
    return row.what ? add_row(rows, &row, diag) : ft_fail_memory(diag, "measured values");
}

/* Routines with hardly any of the events: counts of a few samples say nothing of a model. */
static void mark_minor(struct ft_beside_rows *rows, const struct ft_measured *measured)
{
    for (size_t i = 0; i < rows->count; i++) {
        struct ft_beside *row = &rows->items[i];
        const bool is_ratio = ft_beside_is_ratio(row); /* which counts samples */
        double all = 0;
        for (size_t k = 0; k < measured->count && !is_ratio; k++)
            if (measured->rows[k].routine && strcmp(measured->rows[k].event, row->event) == 0)
                all += measured->rows[k].value;
        for (size_t k = 0; k < rows->count && is_ratio; k++)
            if (rows->items[k].what == row->what && !rows->items[k].routine)
                all = rows->items[k].samples;
        row->is_minor =
            row->routine && (is_ratio ? row->samples : row->measured) < FT_BESIDE_MINOR * all;
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

/* By schedule and penalty. */
static void set_penalty(struct ft_beside *row, const struct ft_prediction *base)
{
    const struct ft_penalty_time *time = &row->prediction->penalties[0];
    const double start = base->penalties[0].known ? base->penalties[0].seconds : NAN;
    row->what = FT_BESIDE_PENALTY;
    row->forecast = time->known ? time->seconds - start : NAN;
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
                                .measured_low = NAN,
                                .measured_high = NAN,
                                .median = times[i].median_seconds - times[base].median_seconds,
                                .samples = NAN};
        status = add_row(&rows, &row, diag);
        if (status == FT_OK && reports[i].prediction->convolved) {
            set_convolved(&row, reports[base].prediction);
            status = add_row(&rows, &row, diag);
        }
        if (status == FT_OK && reports[i].prediction->penalties) {
            set_penalty(&row, reports[base].prediction);
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
    for (size_t i = 0; i < rows->text_count; i++)
        free(rows->texts[i]);
    free(rows->texts);
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

bool ft_beside_is_ratio(const struct ft_beside *row)
{
    return !isnan(row->samples);
}

bool ft_beside_is_inside(const struct ft_beside *row)
{
    const double low = ft_beside_is_ratio(row) ? row->measured_low : row->measured;
    const double high = ft_beside_is_ratio(row) ? row->measured_high : row->measured;
    return ft_beside_has_interval(row) && high >= row->low && low <= row->high;
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
