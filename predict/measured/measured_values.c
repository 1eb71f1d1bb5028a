#include "predict/measured/measured_values.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "formats/base/array.h"

static int add_unknown(struct ft_measured *measured, const char *name, struct ft_diag *diag)
{
    for (size_t i = 0; i < measured->unknown_count; i++)
        if (strcmp(measured->unknown[i], name) == 0)
            return FT_OK;
    if (!FT_RESERVE(measured->unknown, measured->unknown_capacity, measured->unknown_count + 1) ||
        !(measured->unknown[measured->unknown_count] = strdup(name)))
        return ft_fail_memory(diag, "measured values");
    measured->unknown_count++;
    return FT_OK;
}

static bool same_routine(const char *a, const char *b)
{
    return a && b ? strcmp(a, b) == 0 : a == b;
}

/* Whether a row counts the other half of what an event counts. */
static bool completes(const struct ft_measured_event *row, const struct ft_measured_event *event)
{
    return row->kind == FT_MEASURED_MISSES && event->kind == FT_MEASURED_MISSES &&
           row->place == event->place && row->part != FT_MEASURED_ALL &&
           event->part != FT_MEASURED_ALL && row->part != event->part;
}

static int join(struct ft_measured_row *row, const char *name, double value, struct ft_diag *diag)
{
    if (strcmp(row->event, name) != 0) {
        char *event = NULL;
        if (asprintf(&event, "%s + %s", row->event, name) < 0)
            return ft_fail_memory(diag, "measured values");
        free(row->event);
        row->event = event;
        row->what.part = FT_MEASURED_ALL;
    }
    row->value += value;
    return FT_OK;
}

static int add_row(struct ft_measured *measured, const char *routine, const char *name,
                   const struct ft_measured_event *event, double value, double samples,
                   struct ft_diag *diag)
{
    if (!FT_RESERVE(measured->rows, measured->capacity, measured->count + 1))
        return ft_fail_memory(diag, "measured values");
    struct ft_measured_row row = {.routine = routine ? strdup(routine) : NULL,
                                  .event = strdup(name),
                                  .value = value,
                                  .samples = samples,
                                  .what = *event};
    if (!row.event || (routine && !row.routine)) {
        free(row.routine);
        free(row.event);
        return ft_fail_memory(diag, "measured values");
    }
    measured->rows[measured->count++] = row;
    return FT_OK;
}

int ft_measured_add(struct ft_measured *measured, const char *routine, const char *name,
                    const struct ft_measured_event *event, double value, struct ft_diag *diag)
{
    if (!event)
        return add_unknown(measured, name, diag);
    for (size_t i = measured->file_begin; i < measured->count; i++) {
        struct ft_measured_row *row = &measured->rows[i];
        if (same_routine(row->routine, routine) &&
            (strcmp(row->event, name) == 0 || completes(&row->what, event)))
            return join(row, name, value * event->unit, diag);
    }
    return add_row(measured, routine, name, event, value * event->unit, NAN, diag);
}

int ft_measured_add_ratio(struct ft_measured *measured, const char *routine, const char *name,
                          const struct ft_measured_event *event,
                          const struct ft_measured_ratio *ratio, struct ft_diag *diag)
{
    return add_row(measured, routine, name, event, ratio->ratio, ratio->samples, diag);
}

void ft_measured_fini(struct ft_measured *measured)
{
    for (size_t i = 0; i < measured->count; i++) {
        free(measured->rows[i].routine);
        free(measured->rows[i].event);
    }
    for (size_t i = 0; i < measured->unknown_count; i++)
        free(measured->unknown[i]);
    free(measured->rows);
    free((void *)measured->unknown);
    *measured = (struct ft_measured){0};
}
