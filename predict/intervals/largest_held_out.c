#include "predict/intervals/largest_held_out.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SCALES     5    /* of the caches in which the largest size is forecast */
#define SCALE_STEP 1.41 /* from one to the next: a factor of 4 in all */

/* Of each level, how many times larger the data are at the largest training size. */
static void scale_to_largest(const struct ft_spread_task *task, const struct ft_point *largest,
                             double *scales)
{
    const struct ft_model *model = task->model;
    const struct ft_point at = ft_spread_view_of(task).at;
    for (size_t i = 0; i < task->machine->level_count; i++) {
        size_t size = 0;
        while (model->block_bytes[size] != task->machine->levels[i].block_bytes)
            size++;
        double there = ft_function_at(&model->distinct_blocks[size], &at);
        double here = ft_function_at(&model->distinct_blocks[size], largest);
        scales[i] = there > 0 && here > 0 ? here / there : 1;
    }
}

/* A capacity that one of both has alone may be anything; one that neither has tells nothing. */
static double log_error(enum ft_spread_kind kind, const double *held_out, const double *fitted,
                        size_t column)
{
    const double here = fitted[column], there = held_out[column];
    if (isnan(here) || isnan(there))
        return isnan(here) && isnan(there) ? 0 : INFINITY;
    return log((there + ft_spread_unit(kind, held_out)) / (here + ft_spread_unit(kind, fitted)));
}

/* Adds the squares of the errors of the replica at one scale. rows: room for two of all figures. */
static int add_errors(const struct ft_spread_task *task, struct ft_spread_view *largest,
                      const struct ft_model *replica, double *rows, double *squares,
                      struct ft_diag *diag)
{
    const size_t numbers = task->row_count * task->width;
    double *fitted = rows, *held_out = rows + numbers;
    memset(rows, 0, 2 * numbers * sizeof *rows);
    largest->model = task->model;
    int status = task->compute(largest, task->context, fitted, diag);
    largest->model = replica;
    if (status == FT_OK)
        status = task->compute(largest, task->context, held_out, diag);
    for (size_t i = 0; i < numbers && status == FT_OK; i++) {
        const size_t column = i % task->width, row = i - column;
        const double error = log_error(task->kinds[column], held_out + row, fitted + row, column);
        squares[i] += error * error / SCALES;
    }
    return status;
}

static int add_scales(const struct ft_spread_task *task, const struct ft_model *replica,
                      double *scales, double *rows, double *squares, struct ft_diag *diag)
{
    const size_t levels = task->machine->level_count;
    struct ft_spread_view largest = {.at = ft_model_largest(task->model),
                                     .capacity_scales = scales};
    int status = FT_OK;
    scale_to_largest(task, &largest.at, scales);
    for (size_t i = 0; i < levels; i++)
        scales[i] /= pow(SCALE_STEP, (SCALES - 1) / 2.0);
    for (size_t k = 0; k < SCALES && status == FT_OK; k++) {
        status = add_errors(task, &largest, replica, rows, squares, diag);
        for (size_t i = 0; i < levels; i++)
            scales[i] *= SCALE_STEP;
    }
    return status;
}

int ft_held_out_compute(const struct ft_spread_task *task, struct ft_held_out *ret_held_out,
                        struct ft_diag *diag)
{
    const struct ft_model *model = task->model;
    const size_t numbers = task->row_count * task->width, last = model->training_count - 1;
    const struct ft_model *replica =
        model->replica_count > 0 ? ft_model_replica_without(model, last) : NULL;
    *ret_held_out = (struct ft_held_out){0};
    if (!replica)
        return FT_OK;
    double *scales = calloc(task->machine->level_count + 1, sizeof *scales);
    double *rows = malloc((2 * numbers + 1) * sizeof *rows);
    double *squares = calloc(numbers + 1, sizeof *squares);
    int status = scales && rows && squares ? add_scales(task, replica, scales, rows, squares, diag)
                                           : ft_fail_memory(diag, "intervals");
    free(scales);
    free(rows);
    if (status != FT_OK) {
        free(squares);
        return status;
    }
    const double step = log(model->training[last] / model->training[last - 1]);
    const double reach = log(task->size->value / model->training[last]);
    *ret_held_out = (struct ft_held_out){.squares = squares, .reach = fmax(reach / step, 1)};
    return FT_OK;
}

void ft_held_out_fini(struct ft_held_out *held_out)
{
    free(held_out->squares);
    *held_out = (struct ft_held_out){0};
}
