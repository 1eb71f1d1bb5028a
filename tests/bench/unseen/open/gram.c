/*
 * gram [N [COLUMNS]]: orthonormal columns by modified Gram-Schmidt: of a matrix of N x N by rows,
 * the first COLUMNS are made orthogonal, each walked from row to row.
 */
#include <math.h>

#include "tests/bench/unseen/code.h"

static double column_dot(const double *a, size_t n, size_t left, size_t right)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += a[i * n + left] * a[i * n + right];
    return sum;
}

static void subtract_column(double *a, size_t n, size_t from, size_t column, double factor)
{
    for (size_t i = 0; i < n; i++)
        a[i * n + from] -= factor * a[i * n + column];
}

static void scale_column(double *a, size_t n, size_t column, double factor)
{
    for (size_t i = 0; i < n; i++)
        a[i * n + column] *= factor;
}

static void orthogonalise(double *a, double *r, size_t n, size_t columns)
{
    for (size_t k = 0; k < columns; k++) {
        double norm = sqrt(column_dot(a, n, k, k));
        r[k * columns + k] = norm;
        scale_column(a, n, k, 1 / norm);
        for (size_t j = k + 1; j < columns; j++) {
            double product = column_dot(a, n, k, j);
            r[k * columns + j] = product;
            subtract_column(a, n, j, k, product);
        }
    }
}

static double largest_product(const double *a, size_t n, size_t columns)
{
    double largest = 0;
    for (size_t j = 1; j < columns; j++)
        largest = fmax(largest, fabs(column_dot(a, n, 0, j)));
    return largest;
}

int main(int argc, char **argv)
{
    size_t n = sample_number(argc, argv, 1, 2, 512);
    size_t columns = sample_number(argc, argv, 2, 1, 24);
    if (columns > n) {
        fprintf(stderr, "%s: %zu columns of %zu\n", argv[0], columns, n);
        return 2;
    }
    double *a = code_malloc(n * n, sizeof *a), *r = code_calloc(columns * columns, sizeof *r);
    uint64_t random = 43;
    for (size_t i = 0; i < n * n; i++)
        a[i] = code_uniform(&random);
    orthogonalise(a, r, n, columns);
    double trace = 0;
    for (size_t k = 0; k < columns; k++)
        trace += r[k * columns + k];
    printf("gram: trace of R = %.6e, orthogonal: %s\n", trace,
           largest_product(a, n, columns) < 1e-10 ? "yes" : "no");
    free(a);
    free(r);
}
