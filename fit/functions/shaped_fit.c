/*
 * A fit without a shape is constrained to be convex, then concave: the better one counts.
 *
 * The bound: a constraint g x >= 0 that the plain fit x misses by v holds nowhere nearer to x than
 * at v^2 / (g (A^T A)^-1 g^T) more squares, the first step of the dual method. With A = Q R that is
 * the length of R^-T g; without a row of A, Sherman & Morrison's formula applies (plain_fit.c). A
 * few constraints are checked: the lowest value, the flattest point, and bends.
 */
#include "fit/functions/shaped_fit.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "fit/functions/quadratic_program.h"
#include "fit/functions/shape.h"

#define ROUNDING 1e-9 /* of a bound */

struct ft_shaped_fitter {
    const struct ft_axis *axis;
    struct ft_qp_workspace *workspace;
    gsl_matrix *design, *shape;
    gsl_vector *values, *weights, *zeros, *solution;
    struct ft_weighted_values weighted;
    struct ft_plain_fit plain;
};

int ft_shaped_fitter_create(const struct ft_axis *axis, struct ft_shaped_fitter **ret_fitter,
                            struct ft_diag *diag)
{
    struct ft_shaped_fitter *fitter = calloc(1, sizeof *fitter);
    if (!fitter)
        return ft_fail_memory(diag, "a fitter");
    fitter->axis = axis;
    fitter->design = gsl_matrix_alloc(axis->count, FT_TERMS_MAX);
    fitter->shape = gsl_matrix_alloc(FT_GRID_COUNT, FT_TERMS_MAX);
    fitter->values = gsl_vector_alloc(axis->count);
    fitter->weights = gsl_vector_alloc(axis->count);
    fitter->zeros = gsl_vector_calloc(FT_GRID_COUNT);
    fitter->solution = gsl_vector_alloc(FT_TERMS_MAX);
    int status =
        ft_qp_workspace_create(axis->count, FT_TERMS_MAX, FT_GRID_COUNT, &fitter->workspace, diag);
    if (status == FT_OK && (!fitter->design || !fitter->shape || !fitter->values ||
                            !fitter->weights || !fitter->zeros || !fitter->solution))
        status = ft_fail_memory(diag, "a fitter");
    if (status < 0) {
        ft_shaped_fitter_destroy(fitter);
        return status;
    }
    *ret_fitter = fitter;
    return FT_OK;
}

void ft_shaped_fitter_destroy(struct ft_shaped_fitter *fitter)
{
    if (!fitter)
        return;
    ft_qp_workspace_destroy(fitter->workspace);
    gsl_matrix_free(fitter->design);
    gsl_matrix_free(fitter->shape);
    gsl_vector_free(fitter->values);
    gsl_vector_free(fitter->weights);
    gsl_vector_free(fitter->zeros);
    gsl_vector_free(fitter->solution);
    free(fitter);
}

double ft_shaped_error(const struct ft_axis *axis, const struct ft_shaped_task *task,
                       const double *coefficients, size_t size)
{
    double value = ft_term_set_at(task->set, coefficients, axis->terms[size]);
    return (value - task->y[size]) / ft_error_magnitude(task->y[size]);
}

double ft_shaped_square_sum(const struct ft_axis *axis, const struct ft_shaped_task *task,
                            const double *coefficients)
{
    double sum = 0;
    for (size_t i = task->first; i < task->end; i++) {
        double error = ft_shaped_error(axis, task, coefficients, i);
        sum += error * error;
    }
    return sum;
}

bool ft_shaped_fit_constrained(struct ft_shaped_fitter *fitter, const struct ft_shaped_task *task,
                               double *ret_coefficients)
{
    static const enum ft_bend bends[] = {FT_BEND_CONVEX, FT_BEND_CONCAVE};
    const struct ft_axis *axis = fitter->axis;
    size_t rows = task->end - task->first, columns = task->set->count;
    gsl_matrix_view design = gsl_matrix_submatrix(fitter->design, 0, 0, rows, columns);
    gsl_matrix_view shape = gsl_matrix_submatrix(fitter->shape, 0, 0, FT_GRID_COUNT, columns);
    gsl_vector_view values = gsl_vector_subvector(fitter->values, 0, rows);
    gsl_vector_view weights = gsl_vector_subvector(fitter->weights, 0, rows);
    gsl_vector_view solution = gsl_vector_subvector(fitter->solution, 0, columns);
    const double *x = gsl_vector_const_ptr(fitter->solution, 0);
    double best = INFINITY;
    for (size_t i = 0; i < rows; i++) {
        double y = task->y[task->first + i];
        gsl_vector_set(&values.vector, i, y);
        gsl_vector_set(&weights.vector, i, 1 / ft_error_magnitude(y));
        for (size_t j = 0; j < columns; j++)
            gsl_matrix_set(&design.matrix, i, j, axis->terms[task->first + i][task->set->terms[j]]);
    }
    for (size_t i = 0; i < 2; i++) {
        if (!ft_shape_may_bend(axis, bends[i]))
            continue;
        ft_shape_constrain(axis, task->set, task->falling, bends[i], &shape.matrix);
        if (ft_qp_solve(fitter->workspace, &design.matrix, &values.vector, &weights.vector,
                        &shape.matrix, fitter->zeros, &solution.vector, NULL, NULL) < 0)
            continue;
        double error = ft_shaped_square_sum(axis, task, x);
        if (error < best)
            memcpy(ret_coefficients, x, columns * sizeof *x);
        best = fmin(best, error);
    }
    return best < INFINITY;
}

/* What the constraint g x >= 0 alone adds to the squares of a plain fit. */
static double squares_of(const double *g, const struct ft_shaped_task *task,
                         const struct ft_plain_fit *plain, const struct ft_left_out *left_out)
{
    const size_t row = plain->rows - 1, terms = task->set->count;
    const double *x = left_out ? left_out->coefficients : plain->coefficients;
    double value = 0, u[FT_TERMS_MAX], length = 0, at_row = 0, leverage = 0;
    for (size_t j = 0; j < terms; j++)
        value += g[j] * x[j];
    if (!(value < 0))
        return 0;
    for (size_t j = 0; j < terms; j++) {
        u[j] = g[j] / plain->lengths[j];
        for (size_t k = 0; k < j; k++)
            u[j] -= plain->triangle[k][j] * u[k];
        u[j] /= plain->triangle[j][j];
        length += u[j] * u[j];
        at_row += u[j] * plain->orthogonal[j][row];
        leverage += plain->orthogonal[j][row] * plain->orthogonal[j][row];
    }
    if (left_out)
        length += at_row * at_row / (1 - leverage);
    return value * value / length;
}

double ft_shaped_bound(const struct ft_axis *axis, const struct ft_shaped_task *task,
                       const struct ft_plain_fit *plain, const struct ft_left_out *left_out)
{
    static const enum ft_bend bends[] = {FT_BEND_CONVEX, FT_BEND_CONCAVE};
    static const size_t points[] = {0, FT_GRID_COUNT - 1, 1, FT_GRID_COUNT / 2, FT_GRID_COUNT - 2};
    double bound_min = INFINITY;
    for (size_t i = 0; i < 2; i++) {
        double bound = 0;
        if (!ft_shape_may_bend(axis, bends[i]))
            continue;
        for (size_t k = 0; k < sizeof points / sizeof *points; k++) {
            double g[FT_TERMS_MAX];
            ft_shape_constraint(axis, task->set, task->falling, bends[i], points[k], g);
            bound = fmax(bound, squares_of(g, task, plain, left_out));
        }
        bound_min = fmin(bound_min, bound);
    }
    return (left_out ? left_out->square_sum : plain->square_sum) + (1 - ROUNDING) * bound_min;
}

bool ft_shaped_fit(struct ft_shaped_fitter *fitter, const struct ft_shaped_task *task,
                   double *ret_coefficients)
{
    const struct ft_axis *axis = fitter->axis;
    double magnitudes[FT_TRAINING_MAX];
    for (size_t i = task->first; i < task->end; i++)
        magnitudes[i] = ft_error_magnitude(task->y[i]);
    ft_weighted_values_init(&fitter->weighted, axis, task->set->mask, task->y, magnitudes,
                            task->first, task->end);
    if (!ft_plain_fit(&fitter->plain, &fitter->weighted, task->set))
        return false;
    if (!ft_shape_holds(axis, task->set, fitter->plain.coefficients, task->falling))
        return ft_shaped_fit_constrained(fitter, task, ret_coefficients);
    memcpy(ret_coefficients, fitter->plain.coefficients,
           task->set->count * sizeof *ret_coefficients);
    return true;
}
