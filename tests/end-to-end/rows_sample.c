/*
 * usage: rows_sample N [PLANES]
 *
 * Sums of matrices whose rows are blocks of their own: a result takes the place of an operand in
 * each step, and its rows come where others were freed. Then a sweep over PLANES planes of such
 * rows; if these are 0, over N small blocks alone.
 */
#include <stdio.h>

#include "samples/sample.h"

static double **make(size_t n)
{
    double **rows = malloc(n * sizeof *rows);
    for (size_t i = 0; i < n; i++)
        rows[i] = malloc(n * sizeof **rows);
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++)
            rows[i][j] = (double)(i + 2 * j);
    return rows;
}

static void drop(double **rows, size_t n)
{
    for (size_t i = 0; i < n; i++)
        free(rows[i]);
    free(rows);
}

static double **add(double **a, double **b, size_t n)
{
    double **sum = make(n);
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++)
            sum[i][j] += a[i][j] + b[j][i];
    return sum;
}

static double sweep(size_t n, size_t planes)
{
    double ***plane = malloc(planes * sizeof *plane), last = 0;
    for (size_t i = 0; i < planes; i++)
        plane[i] = make(n);
    for (size_t i = 1; i < planes; i++)
        for (size_t j = 0; j < n; j++)
            for (size_t k = 0; k < n; k++)
                last = plane[i][j][k] += plane[i - 1][k][j];
    for (size_t i = 0; i < planes; i++)
        drop(plane[i], n);
    free(plane);
    return last;
}

/* Small blocks, each filled as it is allocated: malloc has its head in their first line. */
static double cells(size_t count)
{
    enum { ENTRIES = 10 };
    double **cell = malloc(count * sizeof *cell), sum = 0;
    for (size_t i = 0; i < count; i++) {
        cell[i] = malloc(ENTRIES * sizeof **cell);
        for (size_t k = 0; k < ENTRIES; k++)
            cell[i][k] = (double)(i + k);
    }
    for (unsigned walk = 0; walk < 3; walk++)
        for (size_t i = 0; i < count; i++)
            sum += cell[i][walk];
    return sum;
}

static void matrices(size_t n, size_t planes)
{
    double **a = make(n), **b = make(n);
    for (unsigned step = 0; step < 3; step++) {
        double **sum = add(a, b, n);
        drop(b, n);
        b = sum;
    }
    printf("rows_sample: %.6e %.6e\n", b[n - 1][n / 2], sweep(n, planes));
    drop(b, n);
    drop(a, n);
}

int main(int argc, char **argv)
{
    const size_t n = sample_number(argc, argv, 1, 1, 100);
    const size_t planes = sample_number(argc, argv, 2, 0, 5);
    if (planes > 0)
        matrices(n, planes);
    else
        printf("rows_sample: %.6e\n", cells(n));
}
