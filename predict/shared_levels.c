#include "predict/shared_levels.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "predict/metrics/cycles.h"

void ft_levels_text_add(char text[FT_LEVELS_TEXT], const char *name)
{
    const size_t length = strlen(text);
    snprintf(text + length, FT_LEVELS_TEXT - length, "%s%s", length > 0 ? ", " : "", name);
}

char *ft_shared_levels_text(char text[FT_LEVELS_TEXT], const struct ft_model *model,
                            const struct ft_machine *machine, double threads)
{
    text[0] = 0;
    for (size_t i = 0; i < machine->level_count; i++)
        if (ft_model_shared_by(model, machine->levels[i].shared_by, threads) != model)
            ft_levels_text_add(text, machine->levels[i].name);
    return text;
}

/* Cycles that follow from misses. */
static const enum ft_metric cycle_metrics[] = {FT_METRIC_MEMORY_CYCLES, FT_METRIC_SERIAL_CYCLES};
#define CYCLE_METRICS (sizeof cycle_metrics / sizeof *cycle_metrics)

static size_t scope_count(const struct ft_shared_rows *rows)
{
    return rows->metrics->model->scopes.scope_count;
}

/* ---- what follows from misses ---- */

/* What the set-associative misses of a row cost, in a column. */
static double miss_cycles(const struct ft_metrics *metrics, const double *row,
                          enum ft_metric metric, double *misses)
{
    for (size_t i = 0; i < metrics->machine->level_count; i++)
        misses[i] = row[ft_set_assoc_column(i)];
    return metric == FT_METRIC_MEMORY_CYCLES
               ? ft_memory_cycles(metrics->machine, misses, metrics->dirty_memory)
               : ft_access_latency_cycles(metrics->machine, 0, misses, metrics->dirty_memory);
}

/* Adds what misses cost, or takes it away. */
static void add_cycles(const struct ft_shared_rows *rows, enum ft_metric metric, double sign,
                       double *misses)
{
    const size_t width = ft_metrics_width(rows->metrics->machine);
    for (size_t row = 0; row < scope_count(rows) * width; row += width) {
        rows->exclusive[row + metric] +=
            sign * miss_cycles(rows->metrics, rows->exclusive + row, metric, misses);
        rows->inclusive[row + metric] +=
            sign * miss_cycles(rows->metrics, rows->inclusive + row, metric, misses);
    }
}

/* Intervals keep their width relative to the value. */
static void scale_intervals(const struct ft_shared_rows *rows, enum ft_metric metric,
                            const double *before, bool is_known)
{
    const size_t width = ft_metrics_width(rows->metrics->machine);
    for (size_t scope = 0; scope < scope_count(rows); scope++) {
        double *value = &rows->inclusive[scope * width + metric];
        struct ft_interval *interval = &rows->intervals[scope * width + metric];
        *value = fmax(*value, 0);
        const double factor = before[scope] > 0 ? *value / before[scope] : 1;
        interval->low *= factor;
        interval->high *= factor;
        interval->exact = false;
        interval->known = interval->known && is_known;
    }
}

/* ---- levels ---- */

/* Misses of a cache are no more than those of the level before, those of a TLB than accesses. */
static void refuse_level(const struct ft_shared_rows *rows, size_t level)
{
    const size_t width = ft_metrics_width(rows->metrics->machine);
    const bool is_first = level == 0 || level == rows->metrics->machine->cache_count;
    for (size_t row = 0; row < scope_count(rows) * width; row += width)
        for (size_t column = ft_fully_assoc_column(level); column <= ft_set_assoc_column(level);
             column++) {
            const size_t before = row + (is_first ? (size_t)FT_METRIC_ACCESSES : column - 2);
            const double most = rows->intervals[before].high;
            rows->intervals[row + column] = (struct ft_interval){
                .low = 0, .high = isnan(most) ? rows->inclusive[before] : most};
        }
    rows->is_unshared[level] = true;
}

static const struct ft_model *model_of(const struct ft_shared_rows *rows, size_t level,
                                       double threads)
{
    const struct ft_level *of = &rows->metrics->machine->levels[level];
    return ft_model_shared_by(rows->metrics->model, of->shared_by, threads);
}

/* The levels of a model, all at once; false in *ret_is_first where an earlier level has it. */
static void list_levels(const struct ft_shared_rows *rows, size_t level, double threads,
                        bool *is_of_it, bool *ret_is_first)
{
    const struct ft_model *model = model_of(rows, level, threads);
    *ret_is_first = true;
    for (size_t i = 0; i < rows->metrics->machine->level_count; i++) {
        is_of_it[i] = model_of(rows, i, threads) == model;
        *ret_is_first = *ret_is_first && !(is_of_it[i] && i < level);
    }
}

static int replace_levels(const struct ft_shared_rows *rows, double threads, ft_shared_take *take,
                          void *context, bool *ret_known, struct ft_diag *diag)
{
    const size_t levels = rows->metrics->machine->level_count;
    bool *is_of_it = calloc(levels + 1, sizeof *is_of_it), is_first;
    int status = is_of_it ? FT_OK : ft_fail_memory(diag, "a prediction");
    *ret_known = true;
    for (size_t i = 0; !status && i < levels; i++) {
        const struct ft_model *model = model_of(rows, i, threads);
        list_levels(rows, i, threads, is_of_it, &is_first);
        if (model && model != rows->metrics->model && is_first)
            status = take(context, model, is_of_it, diag);
        if (!model)
            refuse_level(rows, i);
        *ret_known = *ret_known && model;
    }
    free(is_of_it);
    return status;
}

int ft_shared_levels_replace(const struct ft_shared_rows *rows, double threads,
                             ft_shared_take *take, void *context, struct ft_diag *diag)
{
    const size_t scopes = scope_count(rows), width = ft_metrics_width(rows->metrics->machine);
    double *before = calloc(CYCLE_METRICS * scopes + 1, sizeof *before);
    double *misses = calloc(rows->metrics->machine->level_count + 1, sizeof *misses);
    bool is_known;
    int status = before && misses ? FT_OK : ft_fail_memory(diag, "a prediction");
    for (size_t i = 0; !status && i < CYCLE_METRICS; i++) {
        for (size_t scope = 0; scope < scopes; scope++)
            before[i * scopes + scope] = rows->inclusive[scope * width + cycle_metrics[i]];
        add_cycles(rows, cycle_metrics[i], -1, misses);
    }
    if (!status)
        status = replace_levels(rows, threads, take, context, &is_known, diag);
    for (size_t i = 0; !status && i < CYCLE_METRICS; i++) {
        add_cycles(rows, cycle_metrics[i], 1, misses);
        scale_intervals(rows, cycle_metrics[i], before + i * scopes, is_known);
    }
    free(before);
    free(misses);
    return status;
}
