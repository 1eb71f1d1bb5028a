/*
 * Modified Gram-Schmidt on the weighted columns, with the values as one column more: as accurate
 * for least squares as Householder's QR (Bjorck, BIT 7, 1967), and short loops for few rows.
 *
 * Without row i the normal equations lose one term of rank 1. With its leverage h, the square of
 * its row of Q, and its residual r, Sherman & Morrison's formula gives
 *
 *   error at i = r / (1 - h),  x' = x - R^-1 q_i r / (1 - h),  squares' = squares - r^2 / (1 - h)
 */
#include "fit/functions/plain_fit.h"

#include <float.h>
#include <math.h>

#define INDEPENDENT (4 * DBL_EPSILON) /* of a column of length 1: what others must leave of it */
#define SPARE_MIN   1e-6              /* 1 - h, below which the formula loses too many digits */

static void subtract_multiple(double *from, double factor, const double *what, size_t rows)
{
    for (size_t i = 0; i < rows; i++)
        from[i] -= factor * what[i];
}

void ft_weighted_values_init(struct ft_weighted_values *weighted, const struct ft_axis *axis,
                             uint32_t terms, const double *y, const double *magnitudes,
                             size_t first, size_t end)
{
    const size_t rows = end - first, padded = ft_padded_rows(rows);
    weighted->first = first;
    weighted->rows = rows;
    weighted->terms = 0;
    for (size_t i = 0; i < rows; i++) {
        weighted->weights[i] = 1 / magnitudes[first + i];
        weighted->values[i] = y[first + i] * weighted->weights[i];
    }
    for (size_t i = rows; i < padded; i++)
        weighted->values[i] = 0;
    ft_weighted_values_add(weighted, axis, terms);
}

void ft_weighted_values_add(struct ft_weighted_values *weighted, const struct ft_axis *axis,
                            uint32_t terms)
{
    const size_t rows = weighted->rows, padded = ft_padded_rows(rows);
    const uint32_t all = (uint32_t)((UINT64_C(1) << axis->basis.term_count) - 1);
    for (uint32_t left = terms & all & ~weighted->terms; left != 0; left &= left - 1) {
        const size_t term = (size_t)__builtin_ctz(left);
        double *column = weighted->columns[term];
        for (size_t i = 0; i < rows; i++)
            column[i] = axis->terms[weighted->first + i][term] * weighted->weights[i];
        for (size_t i = rows; i < padded; i++)
            column[i] = 0;
        double length = weighted->lengths[term] = sqrt(ft_row_product(column, column, padded));
        double scale = length > 0 ? 1 / length : 0;
        for (size_t i = 0; i < padded; i++)
            column[i] *= scale;
    }
    weighted->terms |= terms & all;
}

/* The columns of a set as Q R. */
static bool orthogonalise(struct ft_plain_fit *fit, const struct ft_weighted_values *weighted,
                          const struct ft_term_set *set)
{
    const size_t rows = ft_padded_rows(weighted->rows);
    for (size_t j = 0; j < set->count; j++) {
        double *column = fit->orthogonal[j];
        fit->lengths[j] = weighted->lengths[set->terms[j]];
        if (!(fit->lengths[j] > 0) || !isfinite(fit->lengths[j]))
            return false;
        for (size_t i = 0; i < rows; i++)
            column[i] = weighted->columns[set->terms[j]][i];
        for (size_t k = 0; k < j; k++) {
            fit->triangle[k][j] = ft_row_product(fit->orthogonal[k], column, rows);
            subtract_multiple(column, fit->triangle[k][j], fit->orthogonal[k], rows);
        }
        double length = fit->triangle[j][j] = sqrt(ft_row_product(column, column, rows));
        if (!(length > INDEPENDENT))
            return false;
        double scale = 1 / length;
        for (size_t i = 0; i < rows; i++)
            column[i] *= scale;
    }
    return true;
}

/* Solves R x = right for the coefficients of the terms before their columns were scaled. */
static void solve_triangle(const struct ft_plain_fit *fit, const double *right, double *ret_x)
{
    for (size_t j = fit->terms; j-- > 0;) {
        double value = right[j];
        for (size_t k = j + 1; k < fit->terms; k++)
            value -= fit->triangle[j][k] * ret_x[k];
        ret_x[j] = value / fit->triangle[j][j];
    }
    for (size_t j = 0; j < fit->terms; j++)
        ret_x[j] /= fit->lengths[j];
}

bool ft_plain_fit(struct ft_plain_fit *fit, const struct ft_weighted_values *weighted,
                  const struct ft_term_set *set)
{
    const size_t rows = ft_padded_rows(weighted->rows);
    double parts[FT_TERMS_MAX];
    fit->rows = weighted->rows;
    fit->terms = set->count;
    if (set->count > weighted->rows || !orthogonalise(fit, weighted, set))
        return false;
    for (size_t i = 0; i < rows; i++)
        fit->residuals[i] = weighted->values[i];
    for (size_t j = 0; j < set->count; j++) {
        const double *column = fit->orthogonal[j];
        parts[j] = ft_row_product(column, fit->residuals, rows);
        subtract_multiple(fit->residuals, parts[j], column, rows);
    }
    fit->square_sum = ft_row_product(fit->residuals, fit->residuals, rows);
    solve_triangle(fit, parts, fit->coefficients);
    return true;
}

bool ft_plain_fit_leave_out(const struct ft_plain_fit *fit, size_t row, struct ft_left_out *ret)
{
    double leverage = 0, right[FT_TERMS_MAX], change[FT_TERMS_MAX];
    for (size_t j = 0; j < fit->terms; j++)
        leverage += fit->orthogonal[j][row] * fit->orthogonal[j][row];
    double spare = 1 - leverage;
    if (!(spare > SPARE_MIN))
        return false;
    ret->error = fit->residuals[row] / spare;
    ret->square_sum = fmax(0, fit->square_sum - fit->residuals[row] * ret->error);
    for (size_t j = 0; j < fit->terms; j++)
        right[j] = fit->orthogonal[j][row] * ret->error;
    solve_triangle(fit, right, change);
    for (size_t j = 0; j < fit->terms; j++)
        ret->coefficients[j] = fit->coefficients[j] - change[j];
    return true;
}
