/*
 * lu [N [SYSTEMS]]: dense linear systems by LU decomposition with partial pivoting, row by row, as
 * written by hand where no library is at hand; the order is whatever the problem has.
 */
#include <math.h>

#include "tests/bench/unseen/code.h"

static void fill(double *a, double *b, size_t n, uint64_t *random)
{
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < n; j++)
            a[i * n + j] = code_uniform(random) - 0.5;
        b[i] = code_uniform(random);
    }
}

static size_t find_pivot(const double *a, size_t n, size_t k)
{
    size_t pivot = k;
    for (size_t i = k + 1; i < n; i++)
        if (fabs(a[i * n + k]) > fabs(a[pivot * n + k]))
            pivot = i;
    return pivot;
}

static void swap_rows(double *a, double *b, size_t n, size_t k, size_t pivot)
{
    for (size_t j = 0; j < n; j++) {
        double kept = a[k * n + j];
        a[k * n + j] = a[pivot * n + j];
        a[pivot * n + j] = kept;
    }
    double kept = b[k];
    b[k] = b[pivot];
    b[pivot] = kept;
}

/* L and U in place of A; b has the rows' order. */
static void decompose(double *a, double *b, size_t n)
{
    for (size_t k = 0; k < n; k++) {
        size_t pivot = find_pivot(a, n, k);
        if (pivot != k)
            swap_rows(a, b, n, k, pivot);
        for (size_t i = k + 1; i < n; i++) {
            double factor = a[i * n + k] / a[k * n + k];
            a[i * n + k] = factor;
            for (size_t j = k + 1; j < n; j++)
                a[i * n + j] -= factor * a[k * n + j];
        }
    }
}

static void substitute(const double *a, double *b, size_t n)
{
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < i; j++)
            b[i] -= a[i * n + j] * b[j];
    for (size_t i = n; i-- > 0;) {
        for (size_t j = i + 1; j < n; j++)
            b[i] -= a[i * n + j] * b[j];
        b[i] /= a[i * n + i];
    }
}

int main(int argc, char **argv)
{
    size_t n = sample_number(argc, argv, 1, 1, 251);
    size_t systems = sample_number(argc, argv, 2, 1, 1);
    double *a = code_malloc(n * n, sizeof *a), *b = code_malloc(n, sizeof *b);
    uint64_t random = 17;
    double sum = 0;
    for (size_t s = 0; s < systems; s++) {
        fill(a, b, n, &random);
        decompose(a, b, n);
        substitute(a, b, n);
        for (size_t i = 0; i < n; i++)
            sum += b[i];
    }
    printf("lu: sum of solutions = %.6e\n", sum);
    free(a);
    free(b);
}
