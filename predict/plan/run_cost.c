/*
 * Costs of three shares, none below 0: the least-squares solution for every set of them that has
 * one without negative costs; the best of these solves the whole problem.
 */
#include "predict/plan/run_cost.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "fit/functions/counts.h"

/* ---- shares ---- */

/* Solves a symmetric positive definite system of `count` unknowns in place (Cholesky); false where
 * it is none. */
static bool solve(double matrix[FT_SHARES][FT_SHARES], double right[FT_SHARES], size_t count)
{
    for (size_t i = 0; i < count; i++) {
        for (size_t j = 0; j <= i; j++) {
            double sum = matrix[i][j];
            for (size_t k = 0; k < j; k++)
                sum -= matrix[i][k] * matrix[j][k];
            if (i == j && !(sum > 1e-12 * matrix[i][i]))
                return false;
            matrix[i][j] = i == j ? sqrt(sum) : sum / matrix[j][j];
        }
        for (size_t k = 0; k < i; k++)
            right[i] -= matrix[i][k] * right[k];
        right[i] /= matrix[i][i];
    }
    for (size_t i = count; i-- > 0;) {
        for (size_t k = i + 1; k < count; k++)
            right[i] -= matrix[k][i] * right[k];
        right[i] /= matrix[i][i];
    }
    return true;
}

static double share_of(const struct ft_trial *trial, size_t share)
{
    return share == 0 ? 1 : share == 1 ? trial->records : trial->accesses;
}

/* The sum of squared relative errors of the best costs of the shares in the mask; INFINITY where
 * one would be below 0. */
static double fit_set(const struct ft_trials *trials, const double *costs, unsigned mask,
                      double ret_shares[FT_SHARES])
{
    size_t shares[FT_SHARES], count = 0;
    double matrix[FT_SHARES][FT_SHARES] = {{0}}, right[FT_SHARES] = {0}, error = 0;
    for (size_t share = 0; share < FT_SHARES; share++)
        if (mask >> share & 1)
            shares[count++] = share;
    for (size_t t = 0; t < trials->count; t++)
        for (size_t i = 0; i < count; i++) {
            double row = share_of(&trials->items[t], shares[i]) / costs[t];
            right[i] += row;
            for (size_t j = 0; j < count; j++)
                matrix[i][j] += row * share_of(&trials->items[t], shares[j]) / costs[t];
        }
    if (!solve(matrix, right, count))
        return INFINITY;
    memset(ret_shares, 0, FT_SHARES * sizeof *ret_shares);
    for (size_t i = 0; i < count; i++) {
        if (right[i] < 0)
            return INFINITY;
        ret_shares[shares[i]] = right[i];
    }
    for (size_t t = 0; t < trials->count; t++) {
        double sum = 0;
        for (size_t share = 0; share < FT_SHARES; share++)
            sum += ret_shares[share] * share_of(&trials->items[t], share);
        error += (sum / costs[t] - 1) * (sum / costs[t] - 1);
    }
    return error;
}

static void fit_shares(const struct ft_trials *trials, const double *costs,
                       double ret_shares[FT_SHARES])
{
    double best = INFINITY;
    memset(ret_shares, 0, FT_SHARES * sizeof *ret_shares);
    for (unsigned mask = 1; mask < 1U << FT_SHARES; mask++) {
        double shares[FT_SHARES];
        double error = fit_set(trials, costs, mask, shares);
        if (error < best) {
            best = error;
            memcpy(ret_shares, shares, sizeof shares);
        }
    }
}

/* ---- functions ---- */

static void fit_functions(const struct ft_trials *trials, struct ft_fitter *fitter,
                          struct ft_run_costs *costs)
{
    const struct ft_axis *axis = ft_fitter_axis(fitter);
    const struct ft_expectation nothing = ft_expect_nothing(axis);
    double values[FT_TRIALS_MAX];
    for (size_t t = 0; t < trials->count; t++)
        values[t] = trials->items[t].accesses;
    ft_fit_function(fitter, values, 0, &nothing, &costs->accesses);
    for (size_t t = costs->accesses.left_out; t < trials->count; t++)
        costs->residual =
            fmax(costs->residual,
                 fabs(ft_function_at(&costs->accesses, &axis->points[t]) / values[t] - 1));
    const struct ft_expectation part = ft_expect_part(axis, &costs->accesses);
    for (size_t t = 0; t < trials->count; t++)
        values[t] = trials->items[t].records;
    ft_fit_function(fitter, values, 0, &part, &costs->records);
    for (size_t size = 0; size < costs->size_count; size++) {
        for (size_t t = 0; t < trials->count; t++)
            values[t] = trials->items[t].blocks[size];
        ft_fit_function(fitter, values, 0, &nothing, &costs->blocks[size]);
    }
}

int ft_run_costs_fit(const struct ft_trials *trials, const char *parameter,
                     const uint64_t *block_bytes, size_t size_count, struct ft_run_costs *ret_costs,
                     struct ft_diag *diag)
{
    struct ft_run_costs costs = {.basis = ft_basis_default(parameter), .size_count = size_count};
    struct ft_axis axis;
    struct ft_fitter *fitter = NULL;
    double sizes[FT_TRIALS_MAX], values[FT_TRIALS_MAX] = {0};
    memcpy(costs.block_bytes, block_bytes, size_count * sizeof *block_bytes);
    for (size_t t = 0; t < trials->count; t++)
        sizes[t] = trials->items[t].n;
    int status = ft_axis_init(&axis, &costs.basis, sizes, trials->count, diag);
    if (status == FT_OK)
        status = ft_fitter_create(&axis, &fitter, diag);
    if (status == FT_OK)
        fit_functions(trials, fitter, &costs);
    ft_fitter_destroy(fitter);
    ft_axis_fini(&axis);
    if (status < 0)
        return status;
    for (size_t t = 0; t < trials->count; t++)
        values[t] = fmax(trials->items[t].trace_bytes, 1);
    fit_shares(trials, values, costs.trace_bytes);
    for (size_t t = 0; t < trials->count; t++)
        values[t] = fmax(trials->items[t].capture_seconds, DBL_MIN);
    fit_shares(trials, values, costs.capture_seconds);
    for (size_t t = 0; t < trials->count; t++)
        values[t] = fmax(trials->items[t].replay_seconds, DBL_MIN);
    fit_shares(trials, values, costs.replay_seconds);
    for (size_t t = 0; t < trials->count; t++)
        values[t] = fmax(trials->items[t].check_seconds, DBL_MIN);
    fit_shares(trials, values, costs.check_seconds);
    *ret_costs = costs;
    return FT_OK;
}

/* ---- at a size ---- */

static double sum_at(const double shares[FT_SHARES], double records, double accesses)
{
    return shares[0] + shares[1] * records + shares[2] * accesses;
}

struct ft_run_cost ft_run_cost_at(const struct ft_run_costs *costs, double n)
{
    const struct ft_point at = ft_point_at(&costs->basis, &n);
    double accesses = ft_function_at(&costs->accesses, &at);
    double records = ft_function_at(&costs->records, &at);
    return (struct ft_run_cost){
        .accesses = accesses,
        .trace_bytes = sum_at(costs->trace_bytes, records, accesses),
        .capture_seconds = sum_at(costs->capture_seconds, records, accesses),
        .replay_seconds = sum_at(costs->replay_seconds, records, accesses),
        .check_seconds = sum_at(costs->check_seconds, records, accesses),
    };
}

void ft_run_cost_add(struct ft_run_cost *sum, const struct ft_run_cost *cost)
{
    sum->accesses += cost->accesses;
    sum->trace_bytes += cost->trace_bytes;
    sum->capture_seconds += cost->capture_seconds;
    sum->replay_seconds += cost->replay_seconds;
    sum->check_seconds += cost->check_seconds;
}

double ft_run_growing_bytes(const struct ft_run_costs *costs, double n)
{
    const struct ft_point at = ft_point_at(&costs->basis, &n);
    const struct ft_function *blocks = &costs->blocks[0];
    return fmax(ft_function_at(blocks, &at) - fmax(blocks->coefficients[0], 0), 0) *
           (double)costs->block_bytes[0];
}
