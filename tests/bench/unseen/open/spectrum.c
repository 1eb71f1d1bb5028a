/*
 * spectrum [N [STEPS]]: the heat equation on a torus of N x N points by Fourier transforms, N a
 * power of two: rows, a transpose, rows again; each step damps the modes and comes back. Transforms
 * are Stockham's, which sorts itself between two arrays.
 */
#include <complex.h>
#include <math.h>

#include "tests/bench/unseen/code.h"

typedef double complex number;

/* Transforms a row with the help of another; the result is in the row. */
static void transform_row(number *row, number *other, const number *root, size_t n, int inverse)
{
    number *from = row, *to = other;
    for (size_t half = n / 2, stride = 1; half >= 1; half /= 2, stride *= 2) {
        for (size_t p = 0; p < half; p++) {
            number factor = inverse ? conj(root[p * stride]) : root[p * stride];
            for (size_t q = 0; q < stride; q++) {
                number a = from[q + stride * p], b = from[q + stride * (p + half)];
                to[q + stride * 2 * p] = a + b;
                to[q + stride * (2 * p + 1)] = (a - b) * factor;
            }
        }
        number *kept = from;
        from = to;
        to = kept;
    }
    if (from != row)
        for (size_t i = 0; i < n; i++)
            row[i] = from[i];
}

static void transpose(number *a, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        for (size_t j = i + 1; j < n; j++) {
            number kept = a[i * n + j];
            a[i * n + j] = a[j * n + i];
            a[j * n + i] = kept;
        }
    }
}

static void transform(number *a, number *other, const number *root, size_t n, int inverse)
{
    for (int direction = 0; direction < 2; direction++) {
        for (size_t i = 0; i < n; i++)
            transform_row(a + i * n, other, root, n, inverse);
        transpose(a, n);
    }
}

static void damp(number *a, size_t n, double seconds)
{
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < n; j++) {
            double ki = (double)(i < n / 2 ? i : n - i), kj = (double)(j < n / 2 ? j : n - j);
            a[i * n + j] *= exp(-seconds * (ki * ki + kj * kj)) / (double)(n * n);
        }
    }
}

int main(int argc, char **argv)
{
    size_t n = sample_number(argc, argv, 1, 2, 128);
    size_t steps = sample_number(argc, argv, 2, 1, 1);
    if (n & (n - 1)) {
        fprintf(stderr, "%s: %zu points per side: a power of two is needed\n", argv[0], n);
        return 2;
    }
    number *a = code_malloc(n * n, sizeof *a), *other = code_malloc(n, sizeof *other);
    number *root = code_malloc(n, sizeof *root);
    for (size_t k = 0; k < n; k++)
        root[k] = cexp(-6.283185307179586 * I * (double)k / (double)n);
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++)
            a[i * n + j] = (double)((i * i + 3 * j) % 23);
    for (size_t s = 0; s < steps; s++) {
        transform(a, other, root, n, 0);
        damp(a, n, 1e-4);
        transform(a, other, root, n, 1);
    }
    double largest = 0;
    for (size_t i = 0; i < n * n; i++)
        largest = fmax(largest, creal(a[i]));
    printf("spectrum: hottest = %.9f\n", largest);
    free(a);
    free(other);
    free(root);
}
