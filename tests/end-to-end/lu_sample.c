/*
 * lu_sample N: factorises an N x N matrix in place, without pivots: inner loops shrink with outer
 * ones.
 */
#include "samples/sample.h"

SAMPLE_KERNEL static void factorise(double *a, size_t n)
{
    for (size_t k = 0; k < n; k++)
        for (size_t i = k + 1; i < n; i++) {
            double factor = a[i * n + k] /= a[k * n + k];
            for (size_t j = k + 1; j < n; j++)
                a[i * n + j] -= factor * a[k * n + j];
        }
}

int main(int argc, char **argv)
{
    size_t n = sample_number(argc, argv, 1, 1, 100);
    double *a = sample_array(n * n, sizeof *a);
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++)
            a[i * n + j] = i == j ? 10 : 1.0 / (double)(i + j + 1);
    factorise(a, n);
    printf("lu: last pivot %g\n", a[n * n - 1]);
    free(a);
}
