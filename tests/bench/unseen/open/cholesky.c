/*
 * cholesky [N [REPETITIONS]]: the covariance of N signals by Cholesky's decomposition, in place in
 * the lower triangle, and the solution for one right side: rows of inner products, packed without
 * the upper triangle.
 */
#include <math.h>

#include "tests/bench/unseen/code.h"

static double *row_of(double *packed, size_t i)
{
    return packed + i * (i + 1) / 2;
}

/* A covariance that falls with the distance of two signals. */
static void fill(double *packed, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        double *row = row_of(packed, i);
        for (size_t j = 0; j <= i; j++)
            row[j] = 1 / (1 + 0.1 * (double)(i - j));
        row[i] += 0.5;
    }
}

static void decompose(double *packed, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        double *row = row_of(packed, i);
        for (size_t j = 0; j <= i; j++) {
            const double *other = row_of(packed, j);
            double sum = row[j];
            for (size_t k = 0; k < j; k++)
                sum -= row[k] * other[k];
            row[j] = j < i ? sum / other[j] : sqrt(sum);
        }
    }
}

static void solve(double *packed, double *x, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const double *row = row_of(packed, i);
        for (size_t k = 0; k < i; k++)
            x[i] -= row[k] * x[k];
        x[i] /= row[i];
    }
    for (size_t i = n; i-- > 0;) {
        const double *row = row_of(packed, i);
        x[i] /= row[i];
        for (size_t k = 0; k < i; k++)
            x[k] -= row[k] * x[i];
    }
}

int main(int argc, char **argv)
{
    size_t n = sample_number(argc, argv, 1, 1, 301);
    size_t repetitions = sample_number(argc, argv, 2, 1, 1);
    double *packed = code_malloc(n * (n + 1) / 2, sizeof *packed);
    double *x = code_malloc(n, sizeof *x), sum = 0;
    for (size_t r = 0; r < repetitions; r++) {
        fill(packed, n);
        decompose(packed, n);
        for (size_t i = 0; i < n; i++)
            x[i] = (double)((i + r) % 10);
        solve(packed, x, n);
        for (size_t i = 0; i < n; i++)
            sum += x[i];
    }
    printf("cholesky: sum of solutions = %.9f\n", sum);
    free(packed);
    free(x);
}
