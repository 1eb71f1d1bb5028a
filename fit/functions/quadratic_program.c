/*
 * 1. Whiten. Columns of the weighted design matrix are scaled to length 1, then it is factored as
 *    Q R. In y = R x' - (Q^T b) the sum of squares is |y|^2 + constant, and a constraint g x >= h
 *    becomes c y >= d with c = g' R^-1. Rows c are scaled to length 1, so that "violated by" is a
 *    distance and one tolerance serves all of them.
 * 2. From y = 0, the minimum without constraints, take the most violated constraint p and step
 *    towards it: z = the part of its normal that is orthogonal to the active normals N, r = how the
 *    active multipliers must change. The step ends where p holds (p joins the active set) or where
 *    an active multiplier falls to 0 (that constraint leaves, then on towards p). Every step raises
 *    the dual objective, so it ends; no feasible start is needed.
 * 3. Back: x' from R x' = y + Q^T b, then undo the column scales.
 * The active normals are factored afresh at each step (GSL's QR): there are at most as many as
 * columns, and a fresh factor does not drift.
 */
#include "fit/functions/quadratic_program.h"

#include <float.h>
#include <gsl/gsl_blas.h>
#include <gsl/gsl_linalg.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

struct ft_qp_workspace {
    size_t max_rows, max_columns, max_constraints;
    gsl_matrix *factor;      /* rows x columns: QR of the weighted, scaled design matrix */
    gsl_matrix *normals;     /* constraints x columns: c, of length 1 */
    gsl_matrix *active_qr;   /* columns x columns */
    gsl_vector *rhs;         /* rows: weighted b, then Q^T b */
    gsl_vector *tau;         /* columns */
    gsl_vector *active_tau;  /* columns */
    gsl_vector *scales;      /* columns */
    gsl_vector *offsets;     /* constraints: d */
    gsl_vector *lengths;     /* constraints: of c before scaling */
    gsl_vector *y, *z;       /* columns */
    gsl_vector *projected;   /* columns: Q^T of a normal */
    gsl_vector *change;      /* columns: r */
    gsl_vector *multipliers; /* columns + 1: of the active constraints */
    size_t *active;          /* columns + 1: their constraints */
    size_t active_count;
};

int ft_qp_workspace_create(size_t max_rows, size_t max_columns, size_t max_constraints,
                           struct ft_qp_workspace **ret_workspace, struct ft_diag *diag)
{
    struct ft_qp_workspace *w = calloc(1, sizeof *w);
    if (!w)
        return ft_fail_memory(diag, "a least squares workspace");
    size_t constraints = max_constraints > 0 ? max_constraints : 1;
    w->max_rows = max_rows;
    w->max_columns = max_columns;
    w->max_constraints = max_constraints;
    w->factor = gsl_matrix_alloc(max_rows, max_columns);
    w->normals = gsl_matrix_alloc(constraints, max_columns);
    w->active_qr = gsl_matrix_alloc(max_columns, max_columns);
    w->rhs = gsl_vector_alloc(max_rows);
    w->tau = gsl_vector_alloc(max_columns);
    w->active_tau = gsl_vector_alloc(max_columns);
    w->scales = gsl_vector_alloc(max_columns);
    w->offsets = gsl_vector_alloc(constraints);
    w->lengths = gsl_vector_alloc(constraints);
    w->y = gsl_vector_alloc(max_columns);
    w->z = gsl_vector_alloc(max_columns);
    w->projected = gsl_vector_alloc(max_columns);
    w->change = gsl_vector_alloc(max_columns);
    w->multipliers = gsl_vector_alloc(max_columns + 1);
    w->active = calloc(max_columns + 1, sizeof *w->active);
    if (!w->factor || !w->normals || !w->active_qr || !w->rhs || !w->tau || !w->active_tau ||
        !w->scales || !w->offsets || !w->lengths || !w->y || !w->z || !w->projected || !w->change ||
        !w->multipliers || !w->active) {
        ft_qp_workspace_destroy(w);
        return ft_fail_memory(diag, "a least squares workspace");
    }
    *ret_workspace = w;
    return FT_OK;
}

void ft_qp_workspace_destroy(struct ft_qp_workspace *w)
{
    if (!w)
        return;
    gsl_matrix_free(w->factor);
    gsl_matrix_free(w->normals);
    gsl_matrix_free(w->active_qr);
    gsl_vector_free(w->rhs);
    gsl_vector_free(w->tau);
    gsl_vector_free(w->active_tau);
    gsl_vector_free(w->scales);
    gsl_vector_free(w->offsets);
    gsl_vector_free(w->lengths);
    gsl_vector_free(w->y);
    gsl_vector_free(w->z);
    gsl_vector_free(w->projected);
    gsl_vector_free(w->change);
    gsl_vector_free(w->multipliers);
    free(w->active);
    free(w);
}

/* Step 1 for the design matrix. False where it is rank deficient. */
static bool factor_design(struct ft_qp_workspace *w, const gsl_matrix *a, const gsl_vector *b,
                          const gsl_vector *weights)
{
    size_t rows = a->size1, columns = a->size2;
    gsl_matrix_view factor = gsl_matrix_submatrix(w->factor, 0, 0, rows, columns);
    gsl_vector_view rhs = gsl_vector_subvector(w->rhs, 0, rows);
    gsl_vector_view tau = gsl_vector_subvector(w->tau, 0, columns);
    gsl_matrix_memcpy(&factor.matrix, a);
    gsl_vector_memcpy(&rhs.vector, b);
    for (size_t i = 0; weights && i < rows; i++) {
        gsl_vector_view row = gsl_matrix_row(&factor.matrix, i);
        double weight = gsl_vector_get(weights, i);
        gsl_vector_scale(&row.vector, weight);
        gsl_vector_set(&rhs.vector, i, gsl_vector_get(&rhs.vector, i) * weight);
    }
    for (size_t j = 0; j < columns; j++) {
        gsl_vector_view column = gsl_matrix_column(&factor.matrix, j);
        double length = gsl_blas_dnrm2(&column.vector);
        if (!(length > 0) || !isfinite(length))
            return false;
        gsl_vector_set(w->scales, j, 1 / length);
        gsl_vector_scale(&column.vector, 1 / length);
    }
    gsl_linalg_QR_decomp(&factor.matrix, &tau.vector);
    gsl_linalg_QR_QTvec(&factor.matrix, &tau.vector, &rhs.vector);
    for (size_t j = 0; j < columns; j++) /* the columns have length 1: so has R's largest entry */
        if (!(fabs(gsl_matrix_get(&factor.matrix, j, j)) > 4 * DBL_EPSILON))
            return false;
    return true;
}

/* Few columns and many rows: plain loops, as calls would take longer than what they do. */
static double dot(const double *a, const double *b, size_t count)
{
    double sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += a[i] * b[i];
    return sum;
}

/* Step 1 for the constraints. False where one that no x can change is violated. */
static bool whiten_constraints(struct ft_qp_workspace *w, const gsl_matrix *g, const gsl_vector *h,
                               const gsl_matrix *triangle)
{
    const size_t columns = triangle->size1;
    const double *qtb = w->rhs->data, *scales = w->scales->data;
    for (size_t i = 0; i < g->size1; i++) {
        double *row = gsl_matrix_ptr(w->normals, i, 0);
        const double *from = gsl_matrix_const_ptr(g, i, 0);
        for (size_t j = 0; j < columns; j++) { /* row R = the scaled constraint */
            double value = from[j] * scales[j];
            for (size_t k = 0; k < j; k++)
                value -= row[k] * triangle->data[k * triangle->tda + j];
            row[j] = value / triangle->data[j * triangle->tda + j];
        }
        double offset = gsl_vector_get(h, i) - dot(row, qtb, columns);
        double length = sqrt(dot(row, row, columns));
        if (!(length > 0)) {
            if (offset > 0)
                return false;
            length = 1;
        }
        for (size_t j = 0; j < columns; j++)
            row[j] /= length;
        w->offsets->data[i] = offset / length;
        w->lengths->data[i] = length;
    }
    return true;
}

static double slack(const struct ft_qp_workspace *w, size_t constraint, size_t columns)
{
    return dot(w->normals->data + constraint * w->normals->tda, w->y->data, columns) -
           w->offsets->data[constraint];
}

/* The most violated constraint, or `constraints` where all hold. The tolerance grows with the size
 * of what cancels in the slack. */
static size_t most_violated(const struct ft_qp_workspace *w, size_t constraints, size_t columns)
{
    gsl_vector_const_view y = gsl_vector_const_subvector(w->y, 0, columns);
    double length = gsl_blas_dnrm2(&y.vector);
    size_t worst = constraints;
    double worst_slack = 0;
    for (size_t i = 0; i < constraints; i++) {
        double value = slack(w, i, columns);
        double tolerance = 1e-12 * (length + fabs(w->offsets->data[i]));
        if (value < -tolerance && value < worst_slack) {
            worst = i;
            worst_slack = value;
        }
    }
    return worst;
}

/* z and r for the normal of constraint p; gives |z|^2. */
static double directions(struct ft_qp_workspace *w, size_t p, size_t columns)
{
    size_t count = w->active_count;
    gsl_vector_const_view normal = gsl_matrix_const_subrow(w->normals, p, 0, columns);
    gsl_vector_view z = gsl_vector_subvector(w->z, 0, columns);
    gsl_vector_memcpy(&z.vector, &normal.vector);
    if (count == 0)
        return 1;
    gsl_matrix_view qr = gsl_matrix_submatrix(w->active_qr, 0, 0, columns, count);
    gsl_vector_view tau = gsl_vector_subvector(w->active_tau, 0, count);
    gsl_vector_view projected = gsl_vector_subvector(w->projected, 0, columns);
    for (size_t k = 0; k < count; k++) {
        gsl_vector_const_view row = gsl_matrix_const_subrow(w->normals, w->active[k], 0, columns);
        gsl_matrix_set_col(&qr.matrix, k, &row.vector);
    }
    gsl_linalg_QR_decomp(&qr.matrix, &tau.vector);
    gsl_vector_memcpy(&projected.vector, &normal.vector);
    gsl_linalg_QR_QTvec(&qr.matrix, &tau.vector, &projected.vector);

    gsl_matrix_view triangle = gsl_matrix_submatrix(&qr.matrix, 0, 0, count, count);
    gsl_vector_view change = gsl_vector_subvector(w->change, 0, count);
    for (size_t k = 0; k < count; k++) {
        gsl_vector_set(&change.vector, k, gsl_vector_get(&projected.vector, k));
        gsl_vector_set(&projected.vector, k, 0);
    }
    gsl_blas_dtrsv(CblasUpper, CblasNoTrans, CblasNonUnit, &triangle.matrix, &change.vector);
    gsl_vector_memcpy(&z.vector, &projected.vector);
    gsl_linalg_QR_Qvec(&qr.matrix, &tau.vector, &z.vector);
    double squared;
    gsl_blas_ddot(&z.vector, &z.vector, &squared);
    return count < columns ? squared : 0;
}

static void drop_active(struct ft_qp_workspace *w, size_t index)
{
    for (size_t k = index; k + 1 < w->active_count; k++)
        w->active[k] = w->active[k + 1];
    for (size_t k = index; k < w->active_count; k++) /* the newcomer's multiplier moves down too */
        gsl_vector_set(w->multipliers, k, gsl_vector_get(w->multipliers, k + 1));
    w->active_count--;
}

/* Step 2 for one violated constraint. False where no x is feasible. */
static bool make_active(struct ft_qp_workspace *w, size_t p, size_t columns)
{
    gsl_vector_set(w->multipliers, w->active_count, 0);
    for (;;) {
        size_t count = w->active_count;
        double squared = directions(w, p, columns);
        double dual_step = INFINITY, primal_step = INFINITY;
        size_t blocking = 0;
        for (size_t k = 0; k < count; k++) {
            double rate = gsl_vector_get(w->change, k);
            double step = rate > 0 ? gsl_vector_get(w->multipliers, k) / rate : INFINITY;
            if (step < dual_step) {
                dual_step = step;
                blocking = k;
            }
        }
        if (squared > 1e-20) /* the normal is of length 1: below this z is rounding error */
            primal_step = fmax(0, -slack(w, p, columns)) / squared;
        double step = fmin(dual_step, primal_step);
        if (isinf(step))
            return false;
        for (size_t k = 0; k < count; k++)
            gsl_vector_set(
                w->multipliers, k,
                fmax(0, gsl_vector_get(w->multipliers, k) - step * gsl_vector_get(w->change, k)));
        gsl_vector_set(w->multipliers, count, gsl_vector_get(w->multipliers, count) + step);
        if (!isinf(primal_step)) {
            gsl_vector_const_view z = gsl_vector_const_subvector(w->z, 0, columns);
            gsl_vector_view y = gsl_vector_subvector(w->y, 0, columns);
            gsl_blas_daxpy(step, &z.vector, &y.vector);
        }
        if (primal_step <= dual_step) {
            w->active[w->active_count++] = p;
            return true;
        }
        drop_active(w, blocking);
    }
}

int ft_qp_solve(struct ft_qp_workspace *w, const gsl_matrix *a, const gsl_vector *b,
                const gsl_vector *weights, const gsl_matrix *g, const gsl_vector *h,
                gsl_vector *ret_x, gsl_vector *ret_multipliers, struct ft_diag *diag)
{
    size_t rows = a->size1, columns = a->size2, constraints = g ? g->size1 : 0;
    if (rows > w->max_rows || columns > w->max_columns || constraints > w->max_constraints ||
        rows < columns || columns == 0)
        return ft_fail(diag, FT_ERROR_USAGE,
                       "least squares: %zu x %zu with %zu constraints does "
                       "not fit the workspace",
                       rows, columns, constraints);
    if (!factor_design(w, a, b, weights))
        return ft_fail(diag, FT_ERROR_NUMERIC, "least squares: the design matrix is singular");
    gsl_matrix_const_view triangle = gsl_matrix_const_submatrix(w->factor, 0, 0, columns, columns);
    gsl_vector_view y = gsl_vector_subvector(w->y, 0, columns);
    gsl_vector_set_zero(&y.vector);
    w->active_count = 0;
    if (constraints > 0) {
        bool feasible = whiten_constraints(w, g, h, &triangle.matrix);
        /* Far more steps than any problem takes; rounding might else make it cycle. */
        size_t steps = 50 * (constraints + columns);
        size_t p = constraints;
        while (feasible && (p = most_violated(w, constraints, columns)) < constraints &&
               steps-- > 0)
            feasible = make_active(w, p, columns);
        if (!feasible)
            return ft_fail(diag, FT_ERROR_NUMERIC, "least squares: no feasible point");
        if (p < constraints)
            return ft_fail(diag, FT_ERROR_NUMERIC, "least squares: no convergence");
    }

    for (size_t j = 0; j < columns; j++)
        gsl_vector_set(ret_x, j, gsl_vector_get(w->y, j) + gsl_vector_get(w->rhs, j));
    gsl_blas_dtrsv(CblasUpper, CblasNoTrans, CblasNonUnit, &triangle.matrix, ret_x);
    for (size_t j = 0; j < columns; j++)
        gsl_vector_set(ret_x, j, gsl_vector_get(ret_x, j) * gsl_vector_get(w->scales, j));
    if (ret_multipliers) {
        gsl_vector_set_zero(ret_multipliers);
        for (size_t k = 0; k < w->active_count; k++)
            gsl_vector_set(ret_multipliers, w->active[k],
                           gsl_vector_get(w->multipliers, k) /
                               gsl_vector_get(w->lengths, w->active[k]));
    }
    return FT_OK;
}
