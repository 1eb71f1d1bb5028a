/*
 * recursive [N [ROUNDS]]: the Fourier transform of N complex values, N a power of two, as a
 * textbook has it: even and odd halves in arrays of their own, transformed by recursion.
 */
#include "tests/bench/unseen/code.h"
#include <complex.h>
#include <math.h>

static void transform(double complex *a, size_t n)
{
    if (n == 1)
        return;
    double complex *even = code_malloc(n / 2, sizeof *even), *odd = code_malloc(n / 2, sizeof *odd);
    for (size_t i = 0; i < n / 2; i++) {
        even[i] = a[2 * i];
        odd[i] = a[2 * i + 1];
    }
    transform(even, n / 2);
    transform(odd, n / 2);
    for (size_t k = 0; k < n / 2; k++) {
        double angle = -2 * 3.14159265358979323846 * (double)k / (double)n;
        double complex turned = CMPLX(cos(angle), sin(angle)) * odd[k];
        a[k] = even[k] + turned;
        a[k + n / 2] = even[k] - turned;
    }
    free(even);
    free(odd);
}

int main(int argc, char **argv)
{
    size_t n = sample_number(argc, argv, 1, 2, 1024), rounds = sample_number(argc, argv, 2, 1, 2);
    double complex *a = code_malloc(n, sizeof *a);
    for (size_t i = 0; i < n; i++)
        a[i] = (double)(i % 17);
    for (size_t r = 0; r < rounds; r++)
        transform(a, n);
    printf("recursive: %g\n", creal(a[1]));
    free(a);
}
