/*
 * adi [N [STEPS]]: alternating-direction sweeps over N x N points: recurrences along the rows, then
 * along the columns, where each access is a row (8 N bytes) away from the last.
 *
 * Accesses of the kernels, each step: 2 * N * (2 + 5 (N - 1)): x, a, b loaded, x and b stored at
 * each point but the first of a line, where x and b are loaded.
 */
#include "sample.h"

SAMPLE_KERNEL static void sweep_rows(double *restrict x, const double *restrict a,
                                     double *restrict b, size_t n)
{
    for (size_t i = 0; i < n; i++) { /* loop: rows_i */
        double x_before = x[i * n], b_before = b[i * n];
        for (size_t j = 1; j < n; j++) { /* loop: rows_j */
            size_t at = i * n + j;
            double share = a[at] / b_before;
            x_before = x[at] -= x_before * share;
            b_before = b[at] -= a[at] * share;
        }
    }
}

SAMPLE_KERNEL static void sweep_columns(double *restrict x, const double *restrict a,
                                        double *restrict b, size_t n)
{
    for (size_t j = 0; j < n; j++) { /* loop: columns_j */
        double x_before = x[j], b_before = b[j];
        for (size_t i = 1; i < n; i++) { /* loop: columns_i */
            size_t at = i * n + j;
            double share = a[at] / b_before;
            x_before = x[at] -= x_before * share;
            b_before = b[at] -= a[at] * share;
        }
    }
}

int main(int argc, char **argv)
{
    size_t n = sample_number(argc, argv, 1, 2, 500);
    size_t steps = sample_number(argc, argv, 2, 1, 1000);
    double *x = sample_array(n * n, sizeof *x);
    double *a = sample_array(n * n, sizeof *a);
    double *b = sample_array(n * n, sizeof *b);
    for (size_t i = 0; i < n * n; i++) {
        x[i] = (double)(i % 17);
        a[i] = 0.001;
        b[i] = 2.0;
    }
    for (size_t step = 0; step < steps; step++) {
        sweep_rows(x, a, b, n);
        sweep_columns(x, a, b, n);
    }
    double sum = 0;
    for (size_t i = 0; i < n * n; i++)
        sum += x[i];
    printf("adi: sum of x = %.6e\n", sum);
    free(x);
    free(a);
    free(b);
}
