/*
 * levels N: N a power of two. Sums over neighbours in grids of N, N / 2, ... points, one behind the
 * other, by a routine that calls itself, and back up; then as many passes to and fro between two
 * arrays. Without a C library, as allocated.c.
 */
#include "tests/golden/own_malloc.h"

__attribute__((noinline, noipa)) void cycle(double *grid, size_t n);
void cycle(double *grid, size_t n)
{
    double *coarse = grid + n;
    if (n > 2) {
        for (size_t i = 0; i < n / 2; i++)
            coarse[i] = grid[2 * i] + grid[2 * i + 1];
        cycle(coarse, n / 2);
    }
    for (size_t i = 1; i < n; i++)
        grid[i] += grid[i - 1] + coarse[i / 2];
}

__attribute__((noinline, noipa)) void transform(double *from, double *to, size_t n);
void transform(double *from, double *to, size_t n)
{
    for (size_t half = n / 2, stride = 1; half >= 1; half /= 2, stride *= 2) {
        for (size_t p = 0; p < half; p++)
            for (size_t q = 0; q < stride; q++) {
                double a = from[q + stride * p], b = from[q + stride * (p + half)];
                to[q + stride * 2 * p] = a + b;
                to[q + stride * (2 * p + 1)] = a - b;
            }
        double *kept = from;
        from = to;
        to = kept;
    }
}

void run(size_t n)
{
    double *grids = malloc(3 * n * sizeof *grids), *other = malloc(n * sizeof *other);
    cycle(grids, n);
    transform(grids, other, n);
}
