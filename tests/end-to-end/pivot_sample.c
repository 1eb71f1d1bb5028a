/*
 * usage: pivot_sample N
 *
 * Decomposes an N x N matrix with partial pivoting: the search of the largest element looks at the
 * largest so far again and again, and rows are swapped where the largest is not in place, in a
 * routine of its own. All else progresses with the steps.
 */
#include <math.h>
#include <stdio.h>

#include "samples/sample.h"

static __attribute__((noinline)) void swap_rows(double *a, double *b, size_t n)
{
    for (size_t j = 0; j < n; j++) {
        const double kept = a[j];
        a[j] = b[j];
        b[j] = kept;
    }
}

int main(int argc, char **argv)
{
    const size_t n = sample_number(argc, argv, 1, 4, 64);
    uint64_t random = 1;
    double *a = malloc(n * n * sizeof *a), product = 1;
    if (!a)
        return 1;
    for (size_t i = 0; i < n * n; i++)
        a[i] = (double)(sample_random(&random) >> 11) * 0x1p-53 - 0.5;
    for (size_t k = 0; k < n; k++) {
        volatile size_t largest = k;
        for (size_t i = k + 1; i < n; i++)
            if (fabs(a[i * n + k]) > fabs(a[largest * n + k]))
                largest = i;
        if (largest != k)
            swap_rows(&a[k * n], &a[largest * n], n);
        for (size_t i = k + 1; i < n; i++) {
            a[i * n + k] /= a[k * n + k];
            for (size_t j = k + 1; j < n; j++)
                a[i * n + j] -= a[i * n + k] * a[k * n + j];
        }
    }
    for (size_t i = 0; i < n; i++)
        product *= a[i * n + i];
    printf("pivot_sample: %g\n", product);
    free(a);
}
