/*
 * matmul [N [REPETITIONS [ijk | ikj | tiled]]]: c += a * b, N x N, row-major.
 *
 * Accesses of the kernel, each repetition:
 *   ijk    2 N^3 + 2 N^2           a and b per iteration; c once loaded and stored
 *   ikj    3 N^3 + N^2             b, c and c again per iteration; a once per row of b
 *   tiled  3 N^3 + N^2 ceil(N/T)   as ikj in tiles of T x T of b, T = 32
 */
#include <string.h>

#include "sample.h"

#define TILE 32

SAMPLE_KERNEL static void multiply_ijk(double *c, const double *a, const double *b, size_t n)
{
    for (size_t i = 0; i < n; i++) {     /* loop: ijk_i */
        for (size_t j = 0; j < n; j++) { /* loop: ijk_j */
            double sum = c[i * n + j];
            for (size_t k = 0; k < n; k++) { /* loop: ijk_k */
                sum += a[i * n + k] * b[k * n + j];
            }
            c[i * n + j] = sum;
        }
    }
}

SAMPLE_KERNEL static void multiply_ikj(double *c, const double *a, const double *b, size_t n)
{
    for (size_t i = 0; i < n; i++) {     /* loop: ikj_i */
        for (size_t k = 0; k < n; k++) { /* loop: ikj_k */
            double a_ik = a[i * n + k];
            for (size_t j = 0; j < n; j++) { /* loop: ikj_j */
                c[i * n + j] += a_ik * b[k * n + j];
            }
        }
    }
}

SAMPLE_KERNEL static void multiply_tiled(double *c, const double *a, const double *b, size_t n)
{
    for (size_t kk = 0; kk < n; kk += TILE) { /* loop: tiled_kk */
        size_t k_end = kk + TILE < n ? kk + TILE : n;
        for (size_t jj = 0; jj < n; jj += TILE) { /* loop: tiled_jj */
            size_t j_end = jj + TILE < n ? jj + TILE : n;
            for (size_t i = 0; i < n; i++) {          /* loop: tiled_i */
                for (size_t k = kk; k < k_end; k++) { /* loop: tiled_k */
                    double a_ik = a[i * n + k];
                    for (size_t j = jj; j < j_end; j++) { /* loop: tiled_j */
                        c[i * n + j] += a_ik * b[k * n + j];
                    }
                }
            }
        }
    }
}

int main(int argc, char **argv)
{
    size_t n = sample_number(argc, argv, 1, 1, 300);
    size_t repetitions = sample_number(argc, argv, 2, 1, 150);
    const char *order = argc > 3 ? argv[3] : "ijk";
    void (*multiply)(double *, const double *, const double *, size_t) = NULL;
    if (strcmp(order, "ijk") == 0)
        multiply = multiply_ijk;
    else if (strcmp(order, "ikj") == 0)
        multiply = multiply_ikj;
    else if (strcmp(order, "tiled") == 0)
        multiply = multiply_tiled;
    else {
        fprintf(stderr, "matmul: '%s' is none of ijk, ikj, tiled\n", order);
        return 2;
    }
    double *a = sample_array(n * n, sizeof *a);
    double *b = sample_array(n * n, sizeof *b);
    double *c = sample_array(n * n, sizeof *c);
    for (size_t i = 0; i < n * n; i++) {
        a[i] = (double)(i % 7);
        b[i] = (double)(i % 5);
        c[i] = 0;
    }
    for (size_t r = 0; r < repetitions; r++)
        multiply(c, a, b, n);
    double sum = 0;
    for (size_t i = 0; i < n * n; i++)
        sum += c[i];
    printf("matmul: sum of c = %.0f\n", sum);
    free(a);
    free(b);
    free(c);
}
