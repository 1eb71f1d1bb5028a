/*
 * Groups of references that move alike (docs/glossary.md): of each where it stands, how it moves,
 * how often it is executed, as a number and as a formula, and what it misses. Groups are shown that
 * have most of the accesses, or of the misses of a level.
 */
#include <math.h>
#include <stdlib.h>

#include "fit/evaluate/stride_law.h"
#include "formats/commands/model_report.h"
#include "formats/histograms/entry.h"
#include "predict/commands/report/document.h"
#include "predict/commands/report/measured_distances.h"
#include "predict/group_rows.h"

#define GROUPS_SHOWN   400U
#define SURFACES_SHOWN 24U /* of them have their distances over sizes */

/* A group of the model, and what it does: accesses, then misses of the first machine's levels. */
struct weighed {
    size_t group;
    double weight;
};

static int heavier(const void *left, const void *right)
{
    const struct weighed *a = left, *b = right;
    if (a->weight != b->weight)
        return a->weight > b->weight ? -1 : 1;
    return (a->group > b->group) - (a->group < b->group);
}

/* The largest share that a group has of any column. */
static void weigh(const double *rows, size_t width, struct weighed *groups, size_t count)
{
    for (size_t i = 0; i < count; i++)
        groups[i] = (struct weighed){.group = i};
    for (size_t column = 0; column < width; column++) {
        double all = 0;
        for (size_t i = 0; i < count; i++)
            all += rows[i * width + column];
        for (size_t i = 0; i < count && all > 0; i++)
            groups[i].weight = fmax(groups[i].weight, rows[i * width + column] / all);
    }
    qsort(groups, count, sizeof *groups, heavier);
}

/* ---- one of them ---- */

static uint32_t shown_scope(const struct ft_page_task *task, uint32_t scope)
{
    while (!ft_page_shows(task, scope))
        scope = ft_page_model(task)->scopes.scopes[scope].parent;
    return scope;
}

/* Bytes for each loop around it, the innermost first; null where that is no number. */
static json_t *strides_json(const struct ft_prediction *prediction, size_t group)
{
    json_t *list = json_array();
    for (size_t loop = 0; loop < FT_STRIDE_LOOPS_MAX; loop++) {
        const struct ft_stride_law law =
            ft_stride_law_of(prediction->model, group, loop, &prediction->at);
        if (!law.is_loop)
            break;
        ft_json_append(&list, law.is_known ? ft_page_number(law.bytes) : json_null());
    }
    return list;
}

static json_t *stride_json(int64_t stride)
{
    return stride == FT_STRIDE_NONE || stride == FT_STRIDE_MIXED ? json_null()
                                                                 : json_integer(stride);
}

/* Misses of blocks of the smallest size over capacities. */
static int histogram_json(const struct ft_page_task *task, size_t group,
                          const struct ft_page_capacities *capacities, struct ft_forecast *forecast,
                          json_t **ret_histogram, struct ft_diag *diag)
{
    const struct ft_prediction *prediction = ft_page_prediction(task, 0);
    double misses[FT_PAGE_CAPACITIES_MAX];
    FT_TRY(ft_forecast_evaluate(prediction->model, group, 0, &prediction->at, forecast, diag));
    for (size_t k = 0; k < capacities->count; k++)
        misses[k] = ft_forecast_misses(forecast, capacities->blocks[k]);
    *ret_histogram = json_pack("{s:o, s:o, s:o}", "touches", ft_page_number(forecast->touches),
                               "cold", ft_page_number(forecast->cold), "misses",
                               ft_page_misses(misses, capacities->count));
    return FT_OK;
}

static json_t *group_json(const struct ft_page_task *task, size_t index, const double *row)
{
    const struct ft_prediction *prediction = ft_page_prediction(task, 0);
    const struct ft_model *model = prediction->model;
    const struct ft_model_group *group = &model->groups[index];
    char accesses[FT_FORMULA_TEXT], cold[FT_FORMULA_TEXT];
    json_t *misses = json_array();
    for (size_t i = 0; i < prediction->machine->level_count; i++)
        ft_json_append(&misses, ft_page_number(row[1 + i]));
    ft_formula_text(accesses, &group->accesses, &model->basis);
    ft_formula_text(cold, &group->histograms[0].cold, &model->basis);
    return json_pack("{s:I, s:I, s:b, s:I, s:o, s:o, s:o, s:s, s:b, s:s, s:o}", "scope",
                     (json_int_t)shown_scope(task, group->scope), "line", (json_int_t)group->line,
                     "rest", group->rest, "references", (json_int_t)group->reference_count,
                     "stride", stride_json(group->stride_bytes), "strides",
                     strides_json(prediction, index), "accesses", ft_page_number(row[0]),
                     "accesses_formula", accesses, "accesses_exact", group->accesses.exact,
                     "cold_formula", cold, "misses", misses);
}

/* ---- all of them ---- */

/* Over sizes, as forecast and, where histograms were given, as measured. */
static int distances_json(const struct ft_page_task *task, size_t group,
                          struct ft_forecast *forecast, json_t **ret_distances,
                          struct ft_diag *diag)
{
    json_t *measured = NULL;
    FT_TRY(ft_page_distances(task, group, forecast, ret_distances, diag));
    if (!task->measured)
        return FT_OK;
    const int status = ft_measured_distances_json(task->measured, group, &measured, diag);
    *ret_distances = ft_json_merge(*ret_distances, measured);
    return status;
}

static int add_groups(const struct ft_page_task *task, const struct weighed *groups, size_t count,
                      const double *rows, struct ft_forecast *forecast, json_t **list,
                      struct ft_diag *diag)
{
    const size_t width = 1 + ft_page_prediction(task, 0)->machine->level_count;
    struct ft_page_capacities capacities;
    ft_page_find_capacities(task, 0, &capacities);
    for (size_t i = 0; i < count && i < GROUPS_SHOWN && groups[i].weight > 0; i++) {
        json_t *histogram = NULL, *distances = NULL;
        FT_TRY(histogram_json(task, groups[i].group, &capacities, forecast, &histogram, diag));
        if (i < SURFACES_SHOWN)
            FT_TRY(distances_json(task, groups[i].group, forecast, &distances, diag));
        else
            distances = json_object();
        ft_json_append(list, ft_json_merge(ft_json_merge(group_json(task, groups[i].group,
                                                                    rows + groups[i].group * width),
                                                         distances),
                                           json_pack("{s:o}", "histogram", histogram)));
    }
    return FT_OK;
}

int ft_page_references(const struct ft_page_task *task, json_t **ret_references,
                       struct ft_diag *diag)
{
    const struct ft_prediction *prediction = ft_page_prediction(task, 0);
    const size_t count = prediction->model->group_count;
    const size_t width = 1 + prediction->machine->level_count;
    double *rows = calloc(count * width + 1, sizeof *rows);
    struct weighed *groups = calloc(count + 1, sizeof *groups);
    struct ft_forecast forecast = {0};
    json_t *list = json_array();
    int status = rows && groups ? FT_OK : ft_fail_memory(diag, "a report");
    if (status == FT_OK)
        status = ft_group_rows(prediction, rows, diag);
    if (status == FT_OK) {
        weigh(rows, width, groups, count);
        status = add_groups(task, groups, count, rows, &forecast, &list, diag);
    }
    ft_forecast_fini(&forecast);
    free(rows);
    free(groups);
    if (status == FT_OK)
        *ret_references = list;
    else
        json_decref(list);
    return status;
}
