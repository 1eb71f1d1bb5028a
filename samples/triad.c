/*
 * triad [ELEMENTS [REPETITIONS]]: the STREAM triad, a = b + s * c; as triad-omp, with elements
 * distributed to OpenMP threads.
 *
 * Accesses of the kernel: 3 * ELEMENTS * REPETITIONS (two loads and a store per element).
 */
#include "sample.h"

SAMPLE_KERNEL static void triad(double *restrict a, const double *restrict b,
                                const double *restrict c, double scale, size_t elements)
{
    SAMPLE_PARALLEL
    for (size_t i = 0; i < elements; i++) /* loop: triad_i */
        a[i] = b[i] + scale * c[i];
}

int main(int argc, char **argv)
{
    size_t elements = sample_number(argc, argv, 1, 1, 200000);
    size_t repetitions = sample_number(argc, argv, 2, 1, 12000);
    double *a = sample_array(elements, sizeof *a);
    double *b = sample_array(elements, sizeof *b);
    double *c = sample_array(elements, sizeof *c);
    for (size_t i = 0; i < elements; i++) {
        b[i] = (double)i;
        c[i] = 0.5;
    }
    for (size_t r = 0; r < repetitions; r++)
        triad(a, b, c, 2.0, elements);
    printf("triad: a[%zu] = %.1f\n", elements - 1, a[elements - 1]);
    free(a);
    free(b);
    free(c);
}
