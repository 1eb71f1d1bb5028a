/*
 * explained_sample N KERNEL [PAD]: N x N matrices in rows of N + PAD doubles, for what `explain`
 * says of each kernel. ijk and ikj multiply two of them; tiled does in tiles of 32 of j and k,
 * which run outside of i; column adds up each column; copy and sum go through one again and again.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define KERNEL     __attribute__((noinline)) static
#define TILE       32
#define SUM_PASSES 20

KERNEL void ijk(double *c, const double *a, const double *b, size_t n, size_t row)
{
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++) {
            double sum = c[i * row + j];
            for (size_t k = 0; k < n; k++)
                sum += a[i * row + k] * b[k * row + j];
            c[i * row + j] = sum;
        }
}

KERNEL void ikj(double *c, const double *a, const double *b, size_t n, size_t row)
{
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < n; k++)
            for (size_t j = 0; j < n; j++)
                c[i * row + j] += a[i * row + k] * b[k * row + j];
}

KERNEL void tiled(double *c, const double *a, const double *b, size_t n, size_t row)
{
    for (size_t jj = 0; jj < n; jj += TILE)
        for (size_t kk = 0; kk < n; kk += TILE)
            for (size_t i = 0; i < n; i++)
                for (size_t j = jj; j < jj + TILE && j < n; j++) {
                    double sum = c[i * row + j];
                    for (size_t k = kk; k < kk + TILE && k < n; k++)
                        sum += a[i * row + k] * b[k * row + j];
                    c[i * row + j] = sum;
                }
}

KERNEL void column(double *c, const double *a, const double *b, size_t n, size_t row)
{
    (void)b;
    for (size_t j = 0; j < n; j++) {
        double sum = 0;
        for (size_t i = 0; i < n; i++)
            sum += a[i * row + j];
        c[j] = sum;
    }
}

KERNEL void copy(double *restrict c, const double *restrict a, const double *b, size_t n,
                 size_t row)
{
    (void)b;
    for (size_t i = 0; i < n * row; i++) {
        c[i] = a[i];
        __asm__ volatile(""); /* no call of memcpy */
    }
}

KERNEL void sum(double *c, const double *a, const double *b, size_t n, size_t row)
{
    (void)b;
    (void)row;
    for (size_t pass = 0; pass < SUM_PASSES; pass++) {
        double sum = 0;
        for (size_t i = 0; i < n; i++)
            sum += a[i];
        c[pass] += sum;
    }
}

typedef void kernel(double *c, const double *a, const double *b, size_t n, size_t row);
static const struct {
    const char *name;
    kernel *run;
} kernels[] = {{"ijk", ijk},       {"ikj", ikj},   {"tiled", tiled},
               {"column", column}, {"copy", copy}, {"sum", sum}};

int main(int argc, char **argv)
{
    const size_t n = argc > 1 ? strtoul(argv[1], NULL, 10) : 24;
    const size_t row = n + (argc > 3 ? strtoul(argv[3], NULL, 10) : 0);
    const size_t bytes = (n * row + SUM_PASSES) * sizeof(double);
    double *a = malloc(bytes), *b = malloc(bytes), *c = malloc(bytes);
    if (!a || !b || !c)
        abort();
    for (size_t i = 0; i < n * row + SUM_PASSES; i++) {
        a[i] = (double)(i % 7);
        b[i] = (double)(i % 5);
        c[i] = 0;
    }
    for (size_t i = 0; argc > 2 && i < sizeof kernels / sizeof *kernels; i++)
        if (strcmp(argv[2], kernels[i].name) == 0)
            kernels[i].run(c, a, b, n, row);
    printf("%g\n", c[n - 1]);
    free(a);
    free(b);
    free(c);
}
