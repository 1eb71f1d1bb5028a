/*
 * unrolled [N]: the matrix product of Marin & Mellor-Crummey 2005, Fig. 1, its innermost loop
 * unrolled by two by hand, what is left over behind it.
 */
#include "samples/sample.h"

SAMPLE_KERNEL static void multiply(double *c, const double *a, const double *b, size_t n)
{
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++) {
            size_t k = 0;
            for (; k + 1 < n; k += 2)
                c[i * n + j] += a[i * n + k] * b[k * n + j] + a[i * n + k + 1] * b[(k + 1) * n + j];
            for (; k < n; k++)
                c[i * n + j] += a[i * n + k] * b[k * n + j];
        }
}

int main(int argc, char **argv)
{
    size_t n = sample_number(argc, argv, 1, 1, 8);
    double *memory = sample_array(3 * n * n, sizeof *memory);
    for (size_t i = 0; i < 3 * n * n; i++)
        memory[i] = (double)(i % 7);
    multiply(memory, memory + n * n, memory + 2 * n * n, n);
    printf("%g\n", memory[n * n - 1]);
    return 0;
}
