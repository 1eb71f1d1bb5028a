/*
 * doubled N: a Walsh-Hadamard transform of N numbers in a block of its own malloc, N a power of
 * two, then with as many passes sums over neighbours of which there are half as many each time, put
 * one behind the other. Without a C library, as allocated.c.
 */
#include "tests/golden/own_malloc.h"

__attribute__((noinline, noipa)) void transform(double *signal, size_t n);
void transform(double *signal, size_t n)
{
    for (size_t half = 1; half < n; half *= 2)
        for (size_t start = 0; start < n; start += 2 * half)
            for (size_t i = start; i < start + half; i++) {
                double low = signal[i], high = signal[i + half];
                signal[i] = low + high;
                signal[i + half] = low - high;
            }
}

/* signal: [2 n]; each level behind the one that is twice as long. */
__attribute__((noinline, noipa)) void coarsen(double *signal, size_t n);
void coarsen(double *signal, size_t n)
{
    double *fine = signal;
    for (size_t count = n / 2; count >= 2; count /= 2) {
        double *coarse = fine + 2 * count;
        for (size_t i = 0; i < count; i++)
            coarse[i] = fine[2 * i] + fine[2 * i + 1];
        fine = coarse;
    }
}

/* A block of n log2(n) numbers. */
__attribute__((noinline, noipa)) double *allocate_passes(size_t n);
double *allocate_passes(size_t n)
{
    size_t passes = 0;
    for (size_t half = 1; half < n; half *= 2)
        passes++;
    return malloc(passes * n * sizeof(double));
}

void run(size_t n)
{
    double *passes = allocate_passes(n), *signal = malloc(2 * n * sizeof *signal);
    transform(passes, n);
    transform(signal, n);
    coarsen(signal, n);
}
