/*
 * Each --at adds to the points before it, or begins others where it names what these have already.
 */
#include "predict/commands/points.h"

#include <stdlib.h>

#include "formats/base/array.h"
#include "formats/commands/trace_operand.h"
#include "formats/model/model_restriction.h"
#include "formats/model/query_range.h"
#include "predict/check.h"

/* What --at options say: points[first ..] are those that the next one may add to. */
struct asked {
    struct ft_query_values *items;
    size_t count, capacity, first;
};

/* ---- from the trace ---- */

/* What the trace of --check says of a name; it must agree with what was given. */
static int take_from_trace(const struct ft_checked_trace *checked, const char *name, double *value,
                           struct ft_diag *diag)
{
    double traced = 0;
    if (!ft_check_parameter(checked->trace, name, &traced))
        return ft_fail(diag, FT_ERROR_USAGE,
                       "%s: the trace did not record %s (capture -D %s=VALUE)", checked->path, name,
                       name);
    if (*value != 0 && *value != traced)
        return ft_fail(diag, FT_ERROR_USAGE, "--at %s=%.15g: %s has %s = %.15g", name, *value,
                       checked->path, name, traced);
    *value = traced;
    return FT_OK;
}

/* All that --at may give: of a model over parameters these, but not the first one where a size of
 * the data stands for it; of one over the data what its traces recorded, where no size is given. */
static int take_all_from_trace(const struct ft_checked_trace *checked, const struct ft_model *model,
                               struct ft_query_values *asked, struct ft_diag *diag)
{
    int status = FT_OK;
    const char *name;
    if (!model->over_data_size) {
        const size_t first = ft_query_point_has_other(asked) ? 1 : 0;
        for (size_t i = first; i < model->basis.parameter_count && status == FT_OK; i++)
            status = take_from_trace(checked, model->basis.parameters[i], &asked->values[i], diag);
    } else if (asked->values[0] == 0) {
        for (size_t i = 0; status == FT_OK && (name = ft_query_point_other(model, i)); i++)
            status = take_from_trace(checked, name, &asked->others[i], diag);
    }
    return status;
}

/* ---- from --at ---- */

/* The points that may still get more are replaced by their combinations with the new ones. */
static int add_points(struct asked *asked, const struct ft_query_values *points, size_t count,
                      struct ft_diag *diag)
{
    const bool begins =
        asked->count == 0 || ft_query_values_overlap(&asked->items[asked->first], &points[0]);
    const size_t first = begins ? asked->count : asked->first;
    const size_t before = begins ? 1 : asked->count - first;
    const struct ft_query_values nothing = {0};
    if (first + before * count > FT_QUERY_POINTS_MAX)
        return ft_fail(diag, FT_ERROR_USAGE, "%zu sizes; at most %u can be asked for at once",
                       first + before * count, FT_QUERY_POINTS_MAX);
    if (!FT_RESERVE(asked->items, asked->capacity, first + before * count))
        return ft_fail_memory(diag, "sizes");
    /* From the last on, so that none is overwritten before it is used. */
    for (size_t i = before * count; i-- > 0;) {
        const struct ft_query_values had = begins ? nothing : asked->items[first + i / count];
        asked->items[first + i] = ft_query_values_join(&had, &points[i % count]);
    }
    asked->first = first;
    asked->count = first + before * count;
    return FT_OK;
}

/* All --at; without any a point without values. */
static int read_asked(const struct ft_arguments *arguments, const struct ft_model *model,
                      struct asked *asked, struct ft_diag *diag)
{
    const struct ft_query_values nothing = {0};
    const size_t given = ft_option_count(arguments, "at");
    for (size_t i = 0; i < given; i++) {
        struct ft_diag inner = {0};
        struct ft_query_values *points;
        size_t count;
        int status =
            ft_query_points_read(model, ft_option_at(arguments, "at", i), &points, &count, &inner);
        if (status == FT_OK) {
            status = add_points(asked, points, count, &inner);
            free(points);
        }
        if (status != FT_OK)
            return ft_fail(diag, status, "--at %s", inner.message);
    }
    return given > 0 ? FT_OK : add_points(asked, &nothing, 1, diag);
}

/* --at NAME=VALUE of each parameter, or the trace of --check tells the values. */
static int complete_point(const struct ft_arguments *arguments, const struct ft_model *model,
                          const struct ft_checked_trace *checked, struct ft_query_values *asked,
                          struct ft_diag *diag)
{
    if (model->over_data_size && !ft_option_count(arguments, "at") &&
        !ft_query_point_other(model, 0))
        return ft_fail(diag, FT_ERROR_USAGE,
                       "the model runs over the data size: --at %s=BYTES is needed, which "
                       "'foretrace footprint %s' shows",
                       model->parameter, checked->path);
    if (checked->trace)
        FT_TRY(take_all_from_trace(checked, model, asked, diag));
    const char *missing = ft_query_point_missing(model, asked);
    return missing ? ft_fail(diag, FT_ERROR_USAGE,
                             "the model runs over %zu parameters: --at %s=VALUE is needed too",
                             model->basis.parameter_count, missing)
                   : FT_OK;
}

/* ---- models ---- */

static int read_model(const struct ft_arguments *arguments, struct ft_model *ret_model,
                      struct ft_diag *diag)
{
    const char *path = ft_operands(arguments)[0];
    int status = ft_model_read(path, ft_option_last(arguments, "model"), ret_model, diag);
    if (status == FT_ERROR_DATA)
        ft_hint_at_trace(path, "'foretrace replay' and then 'foretrace fit' make a model of traces",
                         diag);
    return status;
}

/* Adds the model of the file to those of the points. */
static int add_model(const struct ft_arguments *arguments, struct ft_command_points *points,
                     struct ft_diag *diag)
{
    struct ft_model **models =
        realloc(points->models, (points->model_count + 1) * sizeof(struct ft_model *));
    if (!models)
        return ft_fail_memory(diag, "models");
    points->models = models;
    struct ft_model *model = calloc(1, sizeof *model);
    int status = model ? read_model(arguments, model, diag) : ft_fail_memory(diag, "a model");
    if (status != FT_OK) {
        free(model);
        return status;
    }
    points->models[points->model_count++] = model;
    return FT_OK;
}

/* Whether they agree in all parameters but the first. */
static bool share_model(const struct ft_query_values *a, const struct ft_query_values *b)
{
    for (size_t i = 1; i < FT_PARAMETERS_MAX; i++)
        if (a->values[i] != b->values[i])
            return false;
    return true;
}

static const struct ft_model *find_model(const struct ft_command_points *points,
                                         const struct ft_query_values *asked)
{
    for (size_t i = 0; i < points->count; i++)
        if (share_model(&points->items[i].size.asked, asked))
            return points->items[i].model;
    return NULL;
}

/* The first model is read already; restricting changes one, so the next values need another. */
static int model_of(const struct ft_arguments *arguments, const struct ft_query_values *asked,
                    struct ft_command_points *points, const struct ft_model **ret_model,
                    struct ft_diag *diag)
{
    const struct ft_model *model = find_model(points, asked);
    if (!model) {
        if (points->count > 0)
            FT_TRY(add_model(arguments, points, diag));
        struct ft_model *own = points->models[points->model_count - 1];
        if (own->basis.parameter_count > 1)
            FT_TRY(ft_model_restrict(own, asked->values, diag));
        model = own;
    }
    *ret_model = model;
    return FT_OK;
}

/* Completed before the first model is restricted, which needs all of its parameters. */
static int complete_points(const struct ft_arguments *arguments,
                           const struct ft_checked_trace *checked, const struct ft_model *model,
                           struct asked *asked, struct ft_diag *diag)
{
    FT_TRY(read_asked(arguments, model, asked, diag));
    for (size_t i = 0; i < asked->count; i++)
        FT_TRY(complete_point(arguments, model, checked, &asked->items[i], diag));
    return FT_OK;
}

static int make_points(const struct ft_arguments *arguments, const struct asked *asked,
                       struct ft_command_points *points, struct ft_diag *diag)
{
    points->items = calloc(asked->count, sizeof *points->items);
    if (!points->items)
        return ft_fail_memory(diag, "sizes");
    for (size_t i = 0; i < asked->count; i++) {
        struct ft_command_point *point = &points->items[i];
        struct ft_diag inner = {0};
        FT_TRY(model_of(arguments, &asked->items[i], points, &point->model, diag));
        int status = ft_query_point_resolve(point->model, &asked->items[i], &point->size, &inner);
        if (status != FT_OK)
            return ft_fail(diag, status, "--at %s", inner.message);
        points->count++;
    }
    return FT_OK;
}

int ft_command_points_read(const struct ft_arguments *arguments, struct ft_checked_trace *checked,
                           struct ft_command_points *ret_points, struct ft_diag *diag)
{
    struct ft_command_points points = {0};
    struct asked asked = {0};
    int status = add_model(arguments, &points, diag);
    if (status == FT_OK && checked->path)
        status = ft_trace_open_named(checked->path, false, &checked->trace, diag);
    if (status == FT_OK)
        status = complete_points(arguments, checked, points.models[0], &asked, diag);
    if (status == FT_OK)
        status = make_points(arguments, &asked, &points, diag);
    free(asked.items);
    if (status == FT_OK)
        *ret_points = points;
    else
        ft_command_points_fini(&points);
    return status;
}

/* The point of a model, of those from `first` on; adds it where it is not there yet. */
static size_t smallest_of(struct ft_command_points *points, size_t first,
                          const struct ft_model *model)
{
    size_t i = first;
    while (i < points->count && points->items[i].model != model)
        i++;
    if (i == points->count)
        points->items[points->count++] = (struct ft_command_point){
            .model = model,
            .size = {.value = model->training[0], .asked.values = {model->training[0]}}};
    return i;
}

int ft_command_points_add_smallest(struct ft_command_points *points, size_t **ret_bases,
                                   struct ft_diag *diag)
{
    const size_t count = points->count;
    struct ft_command_point *items = realloc(points->items, 2 * count * sizeof *items);
    if (items)
        points->items = items;
    size_t *bases = calloc(count, sizeof *bases);
    if (!items || !bases) {
        free(bases);
        return ft_fail_memory(diag, "sizes");
    }
    for (size_t i = 0; i < count; i++)
        bases[i] = smallest_of(points, count, points->items[i].model);
    *ret_bases = bases;
    return FT_OK;
}

void ft_command_points_fini(struct ft_command_points *points)
{
    for (size_t i = 0; i < points->model_count; i++) {
        ft_model_fini(points->models[i]);
        free(points->models[i]);
    }
    free((void *)points->models);
    free(points->items);
    *points = (struct ft_command_points){0};
}
