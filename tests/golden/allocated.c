/*
 * allocated N: copies half of a matrix of N x N numbers, in a block of its own malloc, to another
 * one turned over, and clears the other half, two numbers at a time. Without a C library, so that
 * its files are small: make_small_skeletons makes those with skeletons of it.
 */
#include "tests/golden/own_malloc.h"

__attribute__((noinline, noipa)) void transpose(const double *from, double *to, size_t n);
void transpose(const double *from, double *to, size_t n)
{
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j <= i; j++)
            to[j * n + i] = from[i * n + j];
}

/* Every second row leaves one number over. */
__attribute__((noinline, noipa)) void clear(double *to, size_t n);
void clear(double *to, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        size_t j = i;
        for (; j + 1 < n; j += 2)
            to[i * n + j] = to[i * n + j + 1] = 0;
        if (j < n)
            to[i * n + j] = 0;
    }
}

/* Irregular: the next index depends on an element. */
__attribute__((noinline, noipa)) size_t gather(const double *from, size_t n);
size_t gather(const double *from, size_t n)
{
    size_t sum = 1;
    for (size_t i = 0; i < 8 * n; i++)
        sum = sum * 6364136223846793005 + 1442695040888963407 + (from[(sum >> 33) % (n * n)] != 0);
    return sum;
}

void run(size_t n)
{
    double *from = malloc(n * n * sizeof *from), *to = malloc(n * n * sizeof *to);
    transpose(from, to, n);
    clear(to, n);
    gather(to, n);
}
