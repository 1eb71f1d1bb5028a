/*
 * stencil [N [STEPS]]: 7-point stencil on N x N x N points, from one array to the other and back;
 * as stencil-omp, with planes distributed to OpenMP threads.
 *
 * Accesses of the kernel: (6 (N-2)^3 + 2 (N-2)^2) * STEPS: five loads and a store per inner point,
 * where in[i - 1] and in[i] stay in registers from the points before and are loaded once per row.
 */
#include "sample.h"

SAMPLE_KERNEL static void stencil(double *restrict out, const double *restrict in, size_t n)
{
    SAMPLE_PARALLEL
    for (size_t z = 1; z < n - 1; z++) {     /* loop: stencil_z */
        for (size_t y = 1; y + 1 < n; y++) { /* loop: stencil_y */
            size_t row = (z * n + y) * n;
            for (size_t x = 1; x + 1 < n; x++) { /* loop: stencil_x */
                size_t i = row + x;
                out[i] = 0.4 * in[i] + 0.1 * (in[i - 1] + in[i + 1] + in[i - n] + in[i + n] +
                                              in[i - n * n] + in[i + n * n]);
            }
        }
    }
}

int main(int argc, char **argv)
{
    size_t n = sample_number(argc, argv, 1, 3, 64);
    size_t steps = sample_number(argc, argv, 2, 1, 10000);
    double *in = sample_array(n * n * n, sizeof *in);
    double *out = sample_array(n * n * n, sizeof *out);
    for (size_t i = 0; i < n * n * n; i++)
        in[i] = out[i] = (double)(i % 11);
    for (size_t step = 0; step < steps; step++) {
        stencil(out, in, n);
        double *swap = in;
        in = out;
        out = swap;
    }
    double sum = 0;
    for (size_t i = 0; i < n * n * n; i++)
        sum += in[i];
    printf("stencil: sum = %.6e\n", sum);
    free(in);
    free(out);
}
