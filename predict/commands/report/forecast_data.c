/*
 * A forecast as columns: of each metric a list of [value, low, high] or, where it is exact or the
 * model knows no intervals, the value alone; null where it is unknown. The program comes first,
 * then scopes in the order of `scopes`, as a tree.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "predict/commands/report/document.h"
#include "predict/commands/report_parts.h"
#include "predict/held_out.h"
#include "predict/metrics/first_touches.h"
#include "predict/time_bounds.h"

static json_t *column_json(const struct ft_report *report, size_t column)
{
    json_t *list = json_array();
    for (size_t i = 0; i <= report->count; i++) {
        const uint32_t scope = i == 0 ? 0 : report->list[i - 1];
        const struct ft_interval *interval = &ft_report_intervals(report, scope)[column];
        ft_json_append(&list, ft_interval_is_refused(interval)
                                  ? json_null()
                                  : ft_page_estimate(ft_report_row(report, scope)[column],
                                                     interval->low, interval->high));
    }
    return list;
}

/* ---- cold misses ---- */

/* Those of all groups with blocks of a level, inclusive: [scope]. */
static void find_cold(const struct ft_prediction *prediction, size_t level, double *ret_rows)
{
    const struct ft_model *model = prediction->model;
    const size_t size = ft_model_block_size(model, prediction->machine->levels[level].block_bytes);
    ft_first_touches_find(model, size, &prediction->at, ret_rows);
    ft_scopes_add_nested(&model->scopes, ret_rows, 1);
}

/* First touches are a part of the misses of any cache: where misses have laws of their own, they
 * bound them. */
static json_t *cold_json(const struct ft_report *report, size_t level, const double *rows)
{
    json_t *list = json_array();
    for (size_t i = 0; i <= report->count; i++) {
        const uint32_t scope = i == 0 ? 0 : report->list[i - 1];
        const double all = ft_report_row(report, scope)[ft_fully_assoc_column(level)];
        ft_json_append(&list, ft_page_number(fmin(rows[scope], all)));
    }
    return list;
}

static int level_json(const struct ft_report *report, size_t level, json_t **ret_level,
                      struct ft_diag *diag)
{
    const struct ft_prediction *prediction = report->prediction;
    double *rows = calloc(prediction->model->scopes.scope_count + 1, sizeof *rows);
    if (!rows)
        return ft_fail_memory(diag, "a report");
    find_cold(prediction, level, rows);
    *ret_level = json_pack(
        "{s:o, s:o, s:o}", "full", column_json(report, ft_fully_assoc_column(level)), "set",
        column_json(report, ft_set_assoc_column(level)), "cold", cold_json(report, level, rows));
    free(rows);
    return FT_OK;
}

/* ---- time ---- */

/* Of the scope by itself: all cycles, then those of its parts. */
static json_t *own_json(const struct ft_scope_time *time)
{
    return json_pack("[o, o, o, o, o, o]", ft_page_number(time->cycles),
                     ft_page_number(time->core.cycles), ft_page_number(time->mispredicted),
                     ft_page_number(time->memory), ft_page_number(time->chains),
                     ft_page_number(time->page_faults));
}

static json_t *time_json(const struct ft_report *report)
{
    const struct ft_prediction *prediction = report->prediction;
    json_t *seconds = json_array(), *limits = json_array(), *own = json_array();
    double all = 0; /* of scopes that are not shown, too */
    for (size_t i = 0; i < prediction->model->scopes.scope_count; i++)
        all += prediction->times[i].cycles;
    for (size_t i = 0; i <= report->count; i++) {
        const uint32_t scope = i == 0 ? 0 : report->list[i - 1];
        const struct ft_time_estimate *estimate = &prediction->estimates[scope];
        ft_json_append(&seconds,
                       ft_page_estimate(estimate->seconds, estimate->low, estimate->high));
        ft_json_append(&limits, ft_json_text(prediction->times[scope].limit));
        ft_json_append(&own, own_json(&prediction->times[scope]));
    }
    return json_pack("{s:o, s:o, s:o, s:o}", "seconds", seconds, "limited_by", limits, "own_cycles",
                     own, "all_cycles", ft_page_number(all));
}

static json_t *bounds_json(const struct ft_report *report)
{
    json_t *list = json_array();
    for (size_t i = 0; i <= report->count; i++) {
        const struct ft_time_bounds bounds =
            ft_time_bounds_of(report->prediction, i == 0 ? 0 : report->list[i - 1]);
        ft_json_append(&list, json_pack("[o, o]", ft_page_number(bounds.least_seconds),
                                        ft_page_number(bounds.most_seconds)));
    }
    return list;
}

/* ---- sentences ---- */

typedef int print_sentences(const struct ft_report *report, FILE *stream, struct ft_diag *diag);

/* A list of the paragraphs, in lines of any width (terminal.h), that a function prints. */
static int sentences_json(const struct ft_report *report, print_sentences *print,
                          json_t **ret_sentences, struct ft_diag *diag)
{
    char *text = NULL, *rest = NULL;
    size_t bytes;
    FILE *stream = open_memstream(&text, &bytes);
    if (!stream)
        return ft_fail_memory(diag, "a report");
    int status = print(report, stream, diag);
    fclose(stream);
    json_t *list = json_array();
    for (char *line = status == FT_OK ? strtok_r(text, "\n", &rest) : NULL; line;
         line = strtok_r(NULL, "\n", &rest))
        ft_json_append(&list, ft_json_text(line + strspn(line, " ")));
    free(text);
    *ret_sentences = list;
    return status;
}

static int add_sentences(const struct ft_report *report, json_t **forecast, struct ft_diag *diag)
{
    json_t *answer = NULL, *notes = NULL;
    double held_out = NAN;
    FT_TRY(ft_held_out_error(report->prediction, &held_out, diag));
    FT_TRY(sentences_json(report, ft_report_answer_print, &answer, diag));
    int status = sentences_json(report, ft_report_notes_print, &notes, diag);
    *forecast =
        ft_json_merge(*forecast, json_pack("{s:o, s:o, s:o}", "answer", answer, "notes", notes,
                                           "held_out_error", ft_page_number(held_out)));
    return status;
}

/* ---- all of it ---- */

static json_t *scopes_json(const struct ft_report *report)
{
    json_t *list = json_array();
    ft_json_append(&list, json_integer(0));
    for (size_t i = 0; i < report->count; i++)
        ft_json_append(&list, json_integer(report->list[i]));
    return list;
}

static json_t *how_json(const struct ft_prediction *prediction, size_t level)
{
    return json_pack("{s:s, s:b, s:o}", "set_by",
                     ft_misses_by_name(prediction->misses_by[ft_set_assoc_column(level)]),
                     "resolved", prediction->resolutions[level].resolved, "better_n",
                     ft_page_number(prediction->resolutions[level].better_n));
}

int ft_page_forecast(const struct ft_page_task *task, size_t machine, json_t **ret_forecast,
                     struct ft_diag *diag)
{
    const struct ft_report *report = &task->forecasts->reports[machine];
    const struct ft_prediction *prediction = report->prediction;
    json_t *levels = json_array(), *how = json_array();
    int status = FT_OK;
    for (size_t i = 0; i < prediction->machine->level_count && status == FT_OK; i++) {
        json_t *level = NULL;
        status = level_json(report, i, &level, diag);
        ft_json_append(&levels, level);
        ft_json_append(&how, how_json(prediction, i));
    }
    json_t *forecast =
        json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "scopes", scopes_json(report),
                  "accesses", column_json(report, FT_METRIC_ACCESSES), "instructions",
                  column_json(report, FT_METRIC_INSTRUCTIONS), "flops",
                  column_json(report, FT_METRIC_FLOPS), "levels", levels, "how", how, "bounds",
                  bounds_json(report), "extrapolation", ft_page_number(prediction->extrapolation));
    if (prediction->times)
        forecast = ft_json_merge(forecast, json_pack("{s:o}", "time", time_json(report)));
    if (status == FT_OK)
        status = add_sentences(report, &forecast, diag);
    if (status == FT_OK)
        *ret_forecast = forecast;
    else
        json_decref(forecast);
    return status;
}
