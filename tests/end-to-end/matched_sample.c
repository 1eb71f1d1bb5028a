/*
 * Loops for builds to differ in: in routines that are inlined or not, one after the other and in
 * each other. The test `builds` edits copies of this file.
 */
#include <stdio.h>
#include <stdlib.h>

static double total(const double *values, int count)
{
    double sum = 0;
    for (int i = 0; i < count; i++)
        sum += values[i];
    return sum;
}

__attribute__((noinline)) static void scale(double *values, int count, double factor)
{
    for (int i = 0; i < count; i++)
        values[i] *= factor;
}

__attribute__((noinline)) static void smooth(double *to, const double *from, int rows, int columns)
{
    for (int i = 1; i + 1 < rows; i++)
        for (int j = 1; j + 1 < columns; j++)
            to[i * columns + j] = (from[i * columns + j - 1] + from[i * columns + j + 1] +
                                   from[(i - 1) * columns + j] + from[(i + 1) * columns + j]) /
                                  4;
    /* between loops */
    for (int j = 0; j < columns; j++) {
        to[j] = from[j];
        to[(rows - 1) * columns + j] = total(from + j, rows);
    }
}

__attribute__((noinline)) static int count_above(const double *values, int count, double limit)
{
    int above = 0;
    for (int i = 0; i < count; i++)
        above += values[i] > limit * total(values, 3);
    return above;
}

int main(void)
{
    const int rows = 24, columns = 30;
    double *a = calloc((size_t)rows * (size_t)columns, sizeof *a);
    double *b = calloc((size_t)rows * (size_t)columns, sizeof *b);
    if (!a || !b)
        abort();
    for (int i = 0; i < rows * columns; i++)
        a[i] = b[i] = i % 7;
    for (int step = 0; step < 3; step++) {
        smooth(b, a, rows, columns);
        scale(b, rows * columns, 0.5);
        smooth(a, b, rows, columns);
    }
    printf("%g %d\n", total(a, rows * columns), count_above(b, rows * columns, 0.25));
    free(a);
    free(b);
    return 0;
}
