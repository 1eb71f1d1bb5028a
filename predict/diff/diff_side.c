/*
 * Columns of counts are filled exclusively, by scope, and added up along the tree; what a side
 * cannot know stays NAN. Histograms of a scope's references are added before misses are counted:
 * each bin of them is one evaluation of chances in sets.
 */
#include "predict/diff/diff_side.h"

#include <gsl/gsl_errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "predict/machine_blocks.h"
#include "predict/metrics/misses.h"

/* ---- metrics ---- */

static size_t level_count(const struct ft_machine *machine)
{
    return machine ? machine->level_count : 0;
}

static void add_level(struct ft_diff_metrics *metrics, const char *name)
{
    for (size_t i = 0; i < metrics->count; i++)
        if (metrics->items[i].level && strcmp(metrics->items[i].level, name) == 0)
            return;
    metrics->items[metrics->count++] = (struct ft_shown_metric){FT_SHOW_MISSES, name};
    metrics->items[metrics->count++] = (struct ft_shown_metric){FT_SHOW_FULL_MISSES, name};
}

int ft_diff_metrics_make(const struct ft_machine *const machines[2], bool with_time,
                         struct ft_diff_metrics *ret_metrics, struct ft_diag *diag)
{
    const size_t room = 3 + 2 * (level_count(machines[0]) + level_count(machines[1]));
    struct ft_diff_metrics metrics = {.items = calloc(room, sizeof *metrics.items)};
    if (!metrics.items)
        return ft_fail_memory(diag, "metrics");
    if (with_time)
        metrics.items[metrics.count++] = (struct ft_shown_metric){FT_SHOW_TIME, NULL};
    metrics.items[metrics.count++] = (struct ft_shown_metric){FT_SHOW_ACCESSES, NULL};
    metrics.items[metrics.count++] = (struct ft_shown_metric){FT_SHOW_INSTRUCTIONS, NULL};
    for (unsigned side = 0; side < 2; side++)
        for (size_t i = 0; i < level_count(machines[side]); i++)
            add_level(&metrics, machines[side]->levels[i].name);
    *ret_metrics = metrics;
    return FT_OK;
}

void ft_diff_metrics_fini(struct ft_diff_metrics *metrics)
{
    free(metrics->items);
    *metrics = (struct ft_diff_metrics){0};
}

char *ft_diff_metric_name(char text[FT_DIFF_METRIC_TEXT], const struct ft_shown_metric *metric)
{
    static const char *const names[] = {[FT_SHOW_TIME] = "time",
                                        [FT_SHOW_ACCESSES] = "accesses",
                                        [FT_SHOW_INSTRUCTIONS] = "instructions",
                                        [FT_SHOW_MISSES] = "misses",
                                        [FT_SHOW_FULL_MISSES] = "full"};
    snprintf(text, FT_DIFF_METRIC_TEXT, "%s%s%.100s", names[metric->kind], metric->level ? "." : "",
             metric->level ? metric->level : "");
    return text;
}

char *ft_diff_metrics_text(char text[FT_DIFF_METRICS_TEXT], const struct ft_diff_metrics *metrics)
{
    char name[FT_DIFF_METRIC_TEXT];
    size_t length = 0;
    text[0] = 0;
    for (size_t i = 0; i < metrics->count && length < FT_DIFF_METRICS_TEXT; i++)
        length += (size_t)snprintf(text + length, FT_DIFF_METRICS_TEXT - length, "%s%s",
                                   i ? ", " : "", ft_diff_metric_name(name, &metrics->items[i]));
    return text;
}

size_t ft_diff_metric_find(const struct ft_diff_metrics *metrics, const char *name)
{
    char text[FT_DIFF_METRIC_TEXT];
    size_t i = 0;
    while (i < metrics->count && strcmp(ft_diff_metric_name(text, &metrics->items[i]), name) != 0)
        i++;
    return i;
}

size_t ft_diff_metric_of(const struct ft_diff_metrics *metrics, enum ft_shown kind)
{
    size_t i = 0;
    while (i < metrics->count && metrics->items[i].kind != kind)
        i++;
    return i;
}

/* ---- sides ---- */

static int begin(const struct ft_scopes *scopes, const struct ft_diff_metrics *metrics,
                 struct ft_diff_side *ret_side, struct ft_diag *diag)
{
    const size_t numbers = scopes->scope_count * metrics->count;
    struct ft_diff_side side = {
        .scopes = scopes,
        .metric_count = metrics->count,
        .exclusive = calloc(numbers + 1, sizeof *side.exclusive),
        .inclusive = calloc(numbers + 1, sizeof *side.inclusive),
    };
    *ret_side = side;
    return side.exclusive && side.inclusive ? FT_OK : ft_fail_memory(diag, "a side of a diff");
}

void ft_diff_side_fini(struct ft_diff_side *side)
{
    free(side->exclusive);
    free(side->inclusive);
    *side = (struct ft_diff_side){0};
}

/* Ends with the side, or frees it after a failure. */
static int end(int status, struct ft_diff_side *side, struct ft_diff_side *ret_side)
{
    if (status == FT_OK)
        *ret_side = *side;
    else
        ft_diff_side_fini(side);
    return status;
}

static void make_unknown(struct ft_diff_side *side, size_t metric)
{
    for (size_t i = 0; i < side->scopes->scope_count; i++)
        side->exclusive[i * side->metric_count + metric] = NAN;
}

static bool is_known(const struct ft_machine *machine, const struct ft_shown_metric *metric)
{
    return metric->level
               ? machine && ft_machine_find_level(machine, metric->level) < machine->level_count
               : metric->kind != FT_SHOW_TIME;
}

/* exact: whether misses are. */
static int add_up(const struct ft_machine *machine, const struct ft_diff_metrics *metrics,
                  bool exact, struct ft_diff_side *side, struct ft_diag *diag)
{
    const size_t numbers = side->scopes->scope_count * metrics->count;
    for (size_t i = 0; i < metrics->count; i++)
        if (!is_known(machine, &metrics->items[i]))
            make_unknown(side, i);
    double *rows = malloc((numbers + 1) * sizeof *rows);
    if (!rows)
        return ft_fail_memory(diag, "a side of a diff");
    memcpy(rows, side->exclusive, numbers * sizeof *rows);
    ft_scopes_add_nested(side->scopes, rows, metrics->count);
    for (size_t i = 0; i < numbers; i++) {
        const bool is_exact = exact || !metrics->items[i % metrics->count].level;
        const double end = is_exact ? rows[i] : NAN;
        side->inclusive[i] = (struct ft_compared_value){rows[i], end, end};
    }
    free(rows);
    return FT_OK;
}

/* Executions of the scopes' blocks. */
static void add_instructions(struct ft_diff_side *side, const struct ft_diff_metrics *metrics)
{
    const size_t column = ft_diff_metric_of(metrics, FT_SHOW_INSTRUCTIONS);
    for (size_t i = 0; i < side->scopes->block_count; i++) {
        const struct ft_block *block = &side->scopes->blocks[i];
        side->exclusive[block->scope * metrics->count + column] +=
            (double)block->execution_count * block->instruction_count;
    }
}

/* ---- predictions ---- */

int ft_diff_side_of_prediction(const struct ft_prediction *prediction,
                               const struct ft_diff_metrics *metrics, struct ft_diff_side *ret_side,
                               struct ft_diag *diag)
{
    struct ft_diff_side side;
    int status = begin(&prediction->model->scopes, metrics, &side, diag);
    for (size_t scope = 0; status == FT_OK && scope < side.scopes->scope_count; scope++)
        for (size_t i = 0; i < metrics->count; i++) {
            const size_t at = scope * metrics->count + i;
            side.inclusive[at] = ft_compared_value_of(prediction, scope, &metrics->items[i]);
            side.exclusive[at] =
                isnan(side.inclusive[at].value)
                    ? NAN /* whose interval says nothing, with what is nested: then nor without */
                    : ft_compared_exclusive_of(prediction, scope, &metrics->items[i]);
        }
    return end(status, &side, ret_side);
}

/* ---- traces ---- */

int ft_diff_side_of_trace(const struct ft_simulated_trace *simulated,
                          const struct ft_machine *machine, const struct ft_diff_metrics *metrics,
                          struct ft_diff_side *ret_side, struct ft_diag *diag)
{
    struct ft_diff_side side;
    int status = begin(&simulated->scopes, metrics, &side, diag);
    if (status == FT_OK)
        add_instructions(&side, metrics);
    for (size_t i = 0; status == FT_OK && i < metrics->count; i++) {
        const struct ft_shown_metric *metric = &metrics->items[i];
        if (metric->kind == FT_SHOW_INSTRUCTIONS || !is_known(machine, metric))
            continue;
        const size_t level = metric->level ? ft_machine_find_level(machine, metric->level) : 0;
        const size_t column = !metric->level ? 0
                              : metric->kind == FT_SHOW_MISSES
                                  ? ft_simulated_set_assoc_column(level)
                                  : ft_simulated_fully_assoc_column(level);
        for (size_t scope = 0; scope < side.scopes->scope_count; scope++)
            side.exclusive[scope * metrics->count + i] =
                simulated->own[scope * simulated->width + column];
    }
    if (status == FT_OK)
        status = add_up(machine, metrics, true, &side, diag);
    return end(status, &side, ret_side);
}

/* ---- histograms ---- */

/* Of all references of each scope, at one block size. sums: [scope]. */
static int sum_histograms(const struct ft_histograms *histograms, size_t size,
                          struct ft_histogram *sums, struct ft_diag *diag)
{
    for (size_t j = 0; j < histograms->reference_count; j++) {
        const struct ft_scoped_reference *reference = &histograms->scopes.references[j];
        if (reference->kind != FT_FETCH)
            FT_TRY(ft_histogram_add(&sums[reference->scope],
                                    &histograms->histograms[j * histograms->size_count + size],
                                    diag));
    }
    return FT_OK;
}

/* sums: [scope], at the level's block size. */
static int count_level(const struct ft_histograms *histograms, const struct ft_level *level,
                       const struct ft_histogram *sums, const struct ft_diff_metrics *metrics,
                       struct ft_diff_side *side, struct ft_diag *diag)
{
    struct ft_set_chances chances;
    FT_TRY(ft_set_chances_of_trace(&chances, histograms, level, diag));
    for (size_t scope = 0; scope < side->scopes->scope_count; scope++) {
        const struct ft_miss_count misses = ft_count_histogram_misses(&sums[scope], &chances);
        double *row = side->exclusive + scope * metrics->count;
        for (size_t i = 0; i < metrics->count; i++)
            if (metrics->items[i].level && strcmp(metrics->items[i].level, level->name) == 0)
                row[i] = metrics->items[i].kind == FT_SHOW_MISSES ? misses.set_associative
                                                                  : misses.fully_associative;
    }
    ft_set_chances_fini(&chances);
    return FT_OK;
}

static int count_size(const struct ft_histograms *histograms, size_t size,
                      const struct ft_machine *machine, const struct ft_diff_metrics *metrics,
                      struct ft_diff_side *side, struct ft_diag *diag)
{
    const size_t scope_count = side->scopes->scope_count;
    struct ft_histogram *sums = calloc(scope_count + 1, sizeof *sums);
    int status = sums ? sum_histograms(histograms, size, sums, diag)
                      : ft_fail_memory(diag, "the misses of histograms");
    for (size_t i = 0; status == FT_OK && i < machine->level_count; i++)
        if (machine->levels[i].block_bytes == histograms->block_bytes[size])
            status = count_level(histograms, &machine->levels[i], sums, metrics, side, diag);
    if (sums)
        ft_histogram_array_free(sums, scope_count);
    return status;
}

static void add_accesses(const struct ft_histograms *histograms,
                         const struct ft_diff_metrics *metrics, struct ft_diff_side *side)
{
    const size_t column = ft_diff_metric_of(metrics, FT_SHOW_ACCESSES);
    for (size_t j = 0; j < histograms->reference_count; j++) {
        const struct ft_scoped_reference *reference = &histograms->scopes.references[j];
        if (reference->kind != FT_FETCH)
            side->exclusive[reference->scope * metrics->count + column] +=
                (double)histograms->reference_accesses[j];
    }
}

int ft_diff_side_of_histograms(const struct ft_histograms *histograms,
                               const struct ft_machine *machine,
                               const struct ft_diff_metrics *metrics, struct ft_diff_side *ret_side,
                               struct ft_diag *diag)
{
    struct ft_diff_side side = {0};
    gsl_set_error_handler_off(); /* the default one aborts the program */
    if (machine)
        FT_TRY(ft_block_list_check(histograms->block_bytes, histograms->size_count, machine,
                                   "the histograms do not have", "trace", diag));
    int status = begin(&histograms->scopes, metrics, &side, diag);
    if (status == FT_OK) {
        add_instructions(&side, metrics);
        add_accesses(histograms, metrics, &side);
    }
    for (size_t size = 0; status == FT_OK && machine && size < histograms->size_count; size++)
        status = count_size(histograms, size, machine, metrics, &side, diag);
    if (status == FT_OK)
        status = add_up(machine, metrics, false, &side, diag);
    return end(status, &side, ret_side);
}
