/*
 * Linear least squares of relative errors over one set of terms, without regard to shape, and what
 * each fit would be without one of the sizes: both from one orthogonalisation, so that hundreds of
 * sets can be tried (fit/functions/term_selection.h), and a function fitted again without each size
 * in turn.
 *
 * Coefficients are of the axis's scaled terms. Plain values, no memory; pure and thread safe.
 */
#ifndef FT_FIT_FUNCTIONS_PLAIN_FIT_H
#define FT_FIT_FUNCTIONS_PLAIN_FIT_H

#include <stdbool.h>

#include "fit/functions/axis.h"

/* What an error of a value is relative to: at least a few blocks or touches. */
static inline double ft_error_magnitude(double y)
{
    return y + 2;
}

/* The values at sizes [first, first + rows) and the terms there, both divided by what errors are
 * relative to; the terms' columns are scaled to length 1. From there up to ft_padded_rows(rows) all
 * are 0. */
struct ft_weighted_values {
    size_t first, rows;
    double weights[FT_TRAINING_MAX];
    double values[FT_TRAINING_MAX];
    uint32_t terms;               /* those that are there */
    double lengths[FT_BASIS_MAX]; /* 0 or not finite: the term is of no use */
    double columns[FT_BASIS_MAX][FT_TRAINING_MAX];
};
/* Errors of y[i] are relative to magnitudes[i]; both start at the axis's first size. */
void ft_weighted_values_init(struct ft_weighted_values *weighted, const struct ft_axis *axis,
                             uint32_t terms, const double *y, const double *magnitudes,
                             size_t first, size_t end);
/* Adds those of the terms that are not there yet. */
void ft_weighted_values_add(struct ft_weighted_values *weighted, const struct ft_axis *axis,
                            uint32_t terms);

/* Rows are padded to a multiple of this. */
#define FT_ROWS_TOGETHER 4U
static inline size_t ft_padded_rows(size_t rows)
{
    return (rows + FT_ROWS_TOGETHER - 1) / FT_ROWS_TOGETHER * FT_ROWS_TOGETHER;
}
/* The sum of a[i] * b[i]. */
static inline double ft_row_product(const double *a, const double *b, size_t padded_rows)
{
    double sums[FT_ROWS_TOGETHER] = {0};
    for (size_t i = 0; i < padded_rows; i += FT_ROWS_TOGETHER)
        for (size_t k = 0; k < FT_ROWS_TOGETHER; k++)
            sums[k] += a[i + k] * b[i + k];
    return (sums[0] + sums[2]) + (sums[1] + sums[3]);
}

struct ft_plain_fit {
    size_t rows, terms;
    double coefficients[FT_TERMS_MAX];
    double square_sum;                                /* of the relative errors */
    double residuals[FT_TRAINING_MAX];                /* relative: value - fit */
    double orthogonal[FT_TERMS_MAX][FT_TRAINING_MAX]; /* Q of the columns, and R below */
    double triangle[FT_TERMS_MAX][FT_TERMS_MAX];
    double lengths[FT_TERMS_MAX];
};
/* False where there are fewer sizes than terms, or the terms depend on each other over them. */
bool ft_plain_fit(struct ft_plain_fit *fit, const struct ft_weighted_values *weighted,
                  const struct ft_term_set *set);

/* The same set without one of its sizes. */
struct ft_left_out {
    double coefficients[FT_TERMS_MAX];
    double error;      /* relative, at the size left out: value - fit */
    double square_sum; /* of the relative errors at the others */
};
/* row counts from the first size of the values. False where the size alone determines a
 * coefficient (nearly), and so cannot be left out. */
bool ft_plain_fit_leave_out(const struct ft_plain_fit *fit, size_t row, struct ft_left_out *ret);

#endif
