/*
 * Constrained least squares: random problems against brute force over all active sets; the
 * Karush-Kuhn-Tucker conditions on larger and badly scaled ones; what must be refused.
 */
#include <gsl/gsl_blas.h>
#include <gsl/gsl_errno.h>
#include <gsl/gsl_linalg.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>

#include "fit/functions/quadratic_program.h"
#include "tests/support/random.h"
#include "tests/support/tap.h"

static uint64_t state = 1;

static double uniform(void) /* in [-1, 1) */
{
    return (double)(random_next(&state) >> 11) / 4503599627370496.0 - 1;
}

struct problem {
    gsl_matrix *a, *g;
    gsl_vector *b, *h, *weights, *x, *multipliers;
};

static struct problem problem_random(size_t rows, size_t columns, size_t constraints)
{
    struct problem p = {gsl_matrix_alloc(rows, columns), gsl_matrix_alloc(constraints, columns),
                        gsl_vector_alloc(rows),          gsl_vector_alloc(constraints),
                        gsl_vector_alloc(rows),          gsl_vector_alloc(columns),
                        gsl_vector_alloc(constraints)};
    for (size_t i = 0; i < rows; i++) {
        gsl_vector_set(p.b, i, 3 * uniform());
        gsl_vector_set(p.weights, i, 1.1 + uniform());
        for (size_t j = 0; j < columns; j++)
            gsl_matrix_set(p.a, i, j, uniform());
    }
    for (size_t i = 0; i < constraints; i++) { /* all hold at x = (1, 1, ...): feasible */
        double sum = 0;
        for (size_t j = 0; j < columns; j++) {
            gsl_matrix_set(p.g, i, j, uniform());
            sum += gsl_matrix_get(p.g, i, j);
        }
        gsl_vector_set(p.h, i, sum - fabs(uniform()));
    }
    return p;
}

static void problem_free(struct problem *p)
{
    gsl_matrix_free(p->a);
    gsl_matrix_free(p->g);
    gsl_vector_free(p->b);
    gsl_vector_free(p->h);
    gsl_vector_free(p->weights);
    gsl_vector_free(p->x);
    gsl_vector_free(p->multipliers);
}

static double objective(const struct problem *p, const gsl_vector *x)
{
    double sum = 0;
    for (size_t i = 0; i < p->a->size1; i++) {
        gsl_vector_const_view row = gsl_matrix_const_row(p->a, i);
        double value;
        gsl_blas_ddot(&row.vector, x, &value);
        value = (value - gsl_vector_get(p->b, i)) * gsl_vector_get(p->weights, i);
        sum += value * value;
    }
    return sum;
}

/* The least objective over all sets of constraints taken as equations whose solution satisfies all
 * constraints. */
static double brute_force(const struct problem *p)
{
    size_t columns = p->a->size2, constraints = p->g->size1;
    double best = INFINITY;
    for (unsigned set = 0; set < 1U << constraints; set++) {
        size_t active = (size_t)__builtin_popcount(set), order = columns + active;
        if (active > columns)
            continue;
        gsl_matrix *kkt = gsl_matrix_calloc(order, order);
        gsl_vector *rhs = gsl_vector_calloc(order), *solution = gsl_vector_calloc(order);
        gsl_permutation *permutation = gsl_permutation_alloc(order);
        for (size_t i = 0; i < p->a->size1; i++) {
            double w2 = gsl_vector_get(p->weights, i) * gsl_vector_get(p->weights, i);
            for (size_t j = 0; j < columns; j++) {
                double aij = gsl_matrix_get(p->a, i, j);
                *gsl_vector_ptr(rhs, j) += w2 * aij * gsl_vector_get(p->b, i);
                for (size_t k = 0; k < columns; k++)
                    *gsl_matrix_ptr(kkt, j, k) += w2 * aij * gsl_matrix_get(p->a, i, k);
            }
        }
        for (size_t i = 0, at = columns; i < constraints; i++) {
            if (!(set >> i & 1))
                continue;
            for (size_t j = 0; j < columns; j++) {
                gsl_matrix_set(kkt, at, j, gsl_matrix_get(p->g, i, j));
                gsl_matrix_set(kkt, j, at, gsl_matrix_get(p->g, i, j));
            }
            gsl_vector_set(rhs, at++, gsl_vector_get(p->h, i));
        }
        int sign;
        gsl_linalg_LU_decomp(kkt, permutation, &sign);
        if (gsl_linalg_LU_solve(kkt, permutation, rhs, solution) == GSL_SUCCESS) {
            gsl_vector_view x = gsl_vector_subvector(solution, 0, columns);
            bool feasible = true;
            for (size_t i = 0; i < constraints && feasible; i++) {
                gsl_vector_const_view row = gsl_matrix_const_row(p->g, i);
                double value;
                gsl_blas_ddot(&row.vector, &x.vector, &value);
                feasible = value >= gsl_vector_get(p->h, i) - 1e-8;
            }
            if (feasible)
                best = fmin(best, objective(p, &x.vector));
        }
        gsl_matrix_free(kkt);
        gsl_vector_free(rhs);
        gsl_vector_free(solution);
        gsl_permutation_free(permutation);
    }
    return best;
}

/* The largest violation of the KKT conditions, each relative to the size of what it sums. */
static double kkt_residual(const struct problem *p)
{
    double worst = 0;
    size_t columns = p->a->size2, constraints = p->g->size1;
    for (size_t j = 0; j < columns; j++) {
        double sum = 0, size = 0;
        for (size_t i = 0; i < p->a->size1; i++) {
            gsl_vector_const_view row = gsl_matrix_const_row(p->a, i);
            double value, w2 = pow(gsl_vector_get(p->weights, i), 2) * gsl_matrix_get(p->a, i, j);
            gsl_blas_ddot(&row.vector, p->x, &value);
            sum += w2 * (value - gsl_vector_get(p->b, i));
            size += fabs(w2) * (fabs(value) + fabs(gsl_vector_get(p->b, i)));
        }
        for (size_t i = 0; i < constraints; i++) {
            double term = gsl_vector_get(p->multipliers, i) * gsl_matrix_get(p->g, i, j);
            sum -= term;
            size += fabs(term);
        }
        worst = fmax(worst, fabs(sum) / size);
    }
    for (size_t i = 0; i < constraints; i++) {
        double value = 0, size = fabs(gsl_vector_get(p->h, i));
        for (size_t j = 0; j < columns; j++) {
            double term = gsl_matrix_get(p->g, i, j) * gsl_vector_get(p->x, j);
            value += term;
            size += fabs(term);
        }
        double slack = (value - gsl_vector_get(p->h, i)) / size;
        double multiplier = gsl_vector_get(p->multipliers, i);
        worst = fmax(worst, multiplier > 0 ? fabs(slack) : -slack);
        if (multiplier < 0)
            worst = INFINITY;
    }
    return worst;
}

static int solve(struct ft_qp_workspace *workspace, struct problem *p)
{
    return ft_qp_solve(workspace, p->a, p->b, p->weights, p->g, p->h, p->x, p->multipliers, NULL);
}

static void test_brute_force(struct ft_qp_workspace *workspace)
{
    unsigned failures = 0, constrained = 0;
    double worst = 0;
    for (unsigned round = 0; round < 400; round++) {
        size_t columns = 1 + round % 4, constraints = 1 + round % 7;
        struct problem p = problem_random(columns + round % 5, columns, constraints);
        failures += solve(workspace, &p) != FT_OK;
        double expected = brute_force(&p), got = objective(&p, p.x);
        worst = fmax(worst, fabs(got - expected) / (expected + 1e-6));
        constrained += gsl_blas_dnrm2(p.multipliers) > 0;
        problem_free(&p);
    }
    tap_ok(failures == 0 && worst < 1e-6,
           "400 random problems agree with brute force: %u failed, worst difference %g", failures,
           worst);
    tap_ok(constrained > 200, "%u of them had active constraints", constrained);
}

/* Columns, rows and values scaled by 10^-3 to 10^9, as counts and powers of N are. */
static void test_scaled(struct ft_qp_workspace *workspace)
{
    unsigned failures = 0;
    double worst = 0;
    for (unsigned round = 0; round < 300; round++) {
        size_t columns = 2 + round % 9, rows = columns + 1 + round % 12;
        struct problem p = problem_random(rows, columns, 100);
        double value_scale = pow(10, 3 + 6 * uniform());
        gsl_vector_scale(p.b, value_scale);
        gsl_vector_scale(p.h, value_scale);
        for (size_t j = 0; j < columns; j++) {
            double scale = pow(10, 3 + 6 * uniform());
            gsl_vector_view column = gsl_matrix_column(p.a, j);
            gsl_vector_scale(&column.vector, scale);
            column = gsl_matrix_column(p.g, j);
            gsl_vector_scale(&column.vector, scale);
        }
        failures += solve(workspace, &p) != FT_OK;
        worst = fmax(worst, kkt_residual(&p));
        problem_free(&p);
    }
    tap_ok(failures == 0 && worst < 1e-8,
           "300 badly scaled problems of up to 10 unknowns and 100 constraints: %u failed, "
           "largest KKT residual %g",
           failures, worst);
}

static void test_refused(struct ft_qp_workspace *workspace)
{
    struct problem p = problem_random(6, 3, 2);
    for (size_t j = 0; j < 3; j++) { /* x0 >= 1 and -x0 >= 0 */
        gsl_matrix_set(p.g, 0, j, j == 0);
        gsl_matrix_set(p.g, 1, j, j == 0 ? -1 : 0);
    }
    gsl_vector_set(p.h, 0, 1);
    gsl_vector_set(p.h, 1, 0);
    tap_ok(solve(workspace, &p) == FT_ERROR_NUMERIC, "contradicting constraints are refused");
    for (size_t i = 0; i < 6; i++)
        gsl_matrix_set(p.a, i, 2, 2 * gsl_matrix_get(p.a, i, 1));
    tap_ok(solve(workspace, &p) == FT_ERROR_NUMERIC, "dependent columns are refused");
    problem_free(&p);
    p = problem_random(2, 3, 1);
    tap_ok(solve(workspace, &p) == FT_ERROR_USAGE, "more unknowns than rows are refused");
    problem_free(&p);
}

int main(void)
{
    gsl_set_error_handler_off();
    struct ft_qp_workspace *workspace;
    if (ft_qp_workspace_create(32, 12, 128, &workspace, NULL) != FT_OK)
        return 1;
    test_brute_force(workspace);
    test_scaled(workspace);
    test_refused(workspace);
    ft_qp_workspace_destroy(workspace);
    return tap_plan_done();
}
