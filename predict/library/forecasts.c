#include <math.h>
#include <stdlib.h>

#include "predict/library/shared.h"
#include "predict/prediction.h"

struct foretrace_model {
    struct ft_model inner;
};

int foretrace_model_open(const char *path, const char *name, struct foretrace_model **ret_model,
                         struct foretrace_error *error)
{
    struct ft_diag diag;
    struct foretrace_model *model = calloc(1, sizeof *model);
    int status =
        model ? ft_model_read(path, name, &model->inner, &diag) : ft_fail_memory(&diag, path);
    if (status != FT_OK) {
        free(model);
        return ft_library_fail(error, status, &diag);
    }
    *ret_model = model;
    return FORETRACE_OK;
}

void foretrace_model_close(struct foretrace_model *model)
{
    if (!model)
        return;
    ft_model_fini(&model->inner);
    free(model);
}

size_t foretrace_model_parameter_count(const struct foretrace_model *model)
{
    return model->inner.basis.parameter_count;
}

const char *foretrace_model_parameter(const struct foretrace_model *model, size_t parameter,
                                      double *ret_min, double *ret_largest)
{
    double lowest, largest;
    ft_model_range(&model->inner, parameter, &lowest, &largest);
    if (ret_min)
        *ret_min = lowest;
    if (ret_largest)
        *ret_largest = largest;
    return model->inner.basis.parameters[parameter];
}

/* ---- machines ---- */

struct foretrace_machine {
    struct ft_machine inner;
};

int foretrace_machine_open(const char *name, struct foretrace_machine **ret_machine,
                           struct foretrace_error *error)
{
    struct ft_diag diag;
    struct foretrace_machine *machine = calloc(1, sizeof *machine);
    int status =
        machine ? ft_machine_load(name, &machine->inner, &diag) : ft_fail_memory(&diag, name);
    if (status != FT_OK) {
        free(machine);
        return ft_library_fail(error, status, &diag);
    }
    *ret_machine = machine;
    return FORETRACE_OK;
}

void foretrace_machine_close(struct foretrace_machine *machine)
{
    if (!machine)
        return;
    ft_machine_fini(&machine->inner);
    free(machine);
}

size_t foretrace_machine_level_count(const struct foretrace_machine *machine)
{
    return machine->inner.level_count;
}

const char *foretrace_machine_level(const struct foretrace_machine *machine, size_t level)
{
    return machine->inner.levels[level].name;
}

/* ---- forecasts ---- */

struct foretrace_forecast {
    struct ft_prediction inner;
};

static int resolve(const struct ft_model *model, const char *at, struct ft_query_point *ret_size,
                   struct ft_diag *diag)
{
    struct ft_query_values asked = {0};
    FT_TRY(ft_query_point_read(model, at, &asked, diag));
    const char *missing = ft_query_point_missing(model, &asked);
    return missing ? ft_fail(diag, FT_ERROR_USAGE, "the model needs a value of %s too", missing)
                   : ft_query_point_resolve(model, &asked, ret_size, diag);
}

int foretrace_forecast_make(const struct foretrace_model *model,
                            const struct foretrace_machine *machine, const char *at,
                            struct foretrace_forecast **ret_forecast, struct foretrace_error *error)
{
    static const struct ft_predict_options options = {.misses = FT_MISSES_BEST};
    struct ft_diag diag;
    struct ft_query_point size;
    struct foretrace_forecast *forecast = calloc(1, sizeof *forecast);
    int status =
        forecast ? resolve(&model->inner, at, &size, &diag) : ft_fail_memory(&diag, "a forecast");
    if (status == FT_OK)
        status =
            ft_predict(&model->inner, &machine->inner, &size, &options, &forecast->inner, &diag);
    if (status != FT_OK) {
        free(forecast);
        return ft_library_fail(error, status, &diag);
    }
    *ret_forecast = forecast;
    return FORETRACE_OK;
}

void foretrace_forecast_close(struct foretrace_forecast *forecast)
{
    if (!forecast)
        return;
    ft_prediction_fini(&forecast->inner);
    free(forecast);
}

size_t foretrace_forecast_scope_count(const struct foretrace_forecast *forecast)
{
    return forecast->inner.model->scopes.scope_count;
}

struct foretrace_scope foretrace_forecast_scope(const struct foretrace_forecast *forecast,
                                                size_t scope)
{
    return ft_library_scope(&forecast->inner.model->scopes, scope);
}

static struct foretrace_value value_of(const struct foretrace_forecast *forecast, size_t scope,
                                       size_t column)
{
    const struct ft_prediction *prediction = &forecast->inner;
    const size_t i = scope * prediction->width + column;
    const struct ft_interval *interval = &prediction->intervals[i];
    if (ft_interval_is_refused(interval))
        return (struct foretrace_value){NAN, NAN, NAN};
    return (struct foretrace_value){prediction->inclusive[i], interval->low, interval->high};
}

struct foretrace_value foretrace_forecast_accesses(const struct foretrace_forecast *forecast,
                                                   size_t scope)
{
    return value_of(forecast, scope, FT_METRIC_ACCESSES);
}

struct foretrace_value foretrace_forecast_misses(const struct foretrace_forecast *forecast,
                                                 size_t scope, size_t level)
{
    return value_of(forecast, scope, ft_set_assoc_column(level));
}

struct foretrace_value
foretrace_forecast_fully_associative_misses(const struct foretrace_forecast *forecast, size_t scope,
                                            size_t level)
{
    return value_of(forecast, scope, ft_fully_assoc_column(level));
}

struct foretrace_value foretrace_forecast_seconds(const struct foretrace_forecast *forecast,
                                                  size_t scope)
{
    const struct ft_time_estimate *estimates = forecast->inner.estimates;
    if (!estimates)
        return (struct foretrace_value){NAN, NAN, NAN};
    return (struct foretrace_value){estimates[scope].seconds, estimates[scope].low,
                                    estimates[scope].high};
}
