#include "predict/held_out.h"

#include <math.h>
#include <stdlib.h>

#define MATTERS 1e-4 /* misses per access of a level that matters */

/* Metrics of the program at the largest training size; the caller frees them. */
static int compute(const struct ft_prediction *prediction, const struct ft_model *model,
                   double **ret_rows, struct ft_diag *diag)
{
    const struct ft_model *whole = prediction->model;
    const double largest = whole->training[whole->training_count - 1];
    const struct ft_metrics metrics = {
        .model = model, .machine = prediction->machine, .at = ft_point_at(&model->basis, &largest)};
    double *rows = calloc(model->scopes.scope_count * prediction->width + 1, sizeof *rows);
    if (!rows)
        return ft_fail_memory(diag, "a held-out size");
    int status = ft_metrics_exclusive(&metrics, rows, diag);
    if (status != FT_OK) {
        free(rows);
        return status;
    }
    ft_metrics_make_inclusive(&metrics, rows);
    *ret_rows = rows;
    return FT_OK;
}

static double error_of(const struct ft_prediction *prediction, const double *forecast,
                       const double *fitted)
{
    const double accesses = fitted[FT_METRIC_ACCESSES];
    double error = -1;
    for (size_t i = 0; i < prediction->machine->level_count; i++) {
        const size_t column = ft_fully_assoc_column(i);
        if (fitted[column] > MATTERS * accesses)
            error = fmax(error, fabs(forecast[column] / fitted[column] - 1));
    }
    return error >= 0     ? error
           : accesses > 0 ? fabs(forecast[FT_METRIC_ACCESSES] / accesses - 1)
                          : NAN;
}

int ft_held_out_error(const struct ft_prediction *prediction, double *ret_error,
                      struct ft_diag *diag)
{
    const struct ft_model *model = prediction->model;
    const struct ft_model *replica =
        model->fixed_count == 0 ? ft_model_replica_without(model, model->training_count - 1) : NULL;
    double *forecast = NULL, *fitted = NULL;
    *ret_error = NAN;
    if (!replica)
        return FT_OK;
    int status = compute(prediction, replica, &forecast, diag);
    if (status == FT_OK)
        status = compute(prediction, model, &fitted, diag);
    if (status == FT_OK)
        *ret_error = error_of(prediction, forecast, fitted);
    free(forecast);
    free(fitted);
    return status;
}
