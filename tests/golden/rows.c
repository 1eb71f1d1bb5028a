/*
 * rows N: sums over the columns of a matrix whose rows are blocks of their own malloc, and frees
 * them. Without a C library, as allocated.c.
 */
#include "tests/golden/own_malloc.h"

__attribute__((noinline, noipa)) void free(void *block);
void free(void *block)
{
    (void)block;
}

__attribute__((noinline, noipa)) double sum(double **rows, size_t n);
double sum(double **rows, size_t n)
{
    double sum = 0;
    for (size_t j = 0; j < n; j++)
        for (size_t i = 0; i < n; i++)
            sum += rows[i][j];
    return sum;
}

static double result;

void run(size_t n)
{
    double **rows = malloc(n * sizeof *rows);
    for (size_t i = 0; i < n; i++)
        rows[i] = malloc(n * sizeof **rows);
    result = sum(rows, n);
    for (size_t i = 0; i < n; i++)
        free(rows[i]);
    free(rows);
}
