/*
 * doubling_sample N: what a program does whose loops double or halve something until it is N, a
 * power of two: a fast transform with a table of roots whose stride halves, of rows as well; sums
 * over half as many elements each time; and grids that become coarser in levels.
 */
#include "samples/sample.h"

#define ROWS 4U

SAMPLE_KERNEL static void transform(double *signal, const double *roots, size_t n)
{
    for (size_t half = 1; half < n; half *= 2)
        for (size_t start = 0; start < n; start += 2 * half)
            for (size_t i = 0; i < half; i++) {
                double low = signal[start + i];
                double high = signal[start + i + half] * roots[i * (n / 2 / half)];
                signal[start + i] = low + high;
                signal[start + i + half] = low - high;
            }
}

/* signal: [2 n]; each level behind the one that is twice as long. */
SAMPLE_KERNEL static void add_neighbours(double *signal, size_t n)
{
    double *fine = signal;
    for (size_t count = n / 2; count >= 2; count /= 2) {
        double *coarse = fine + 2 * count;
        for (size_t i = 0; i < count; i++)
            coarse[i] = fine[2 * i] + fine[2 * i + 1];
        fine = coarse;
    }
}

/* Grids of n^2, (n / 2)^2, ... points, one behind the other. */
SAMPLE_KERNEL static void coarsen(double *fine, size_t n)
{
    for (size_t side = n; side >= 4; side /= 2) {
        double *coarse = fine + side * side;
        for (size_t i = 0; i < side / 2; i++)
            for (size_t j = 0; j < side / 2; j++)
                coarse[i * (side / 2) + j] = fine[2 * i * side + 2 * j] - fine[2 * i * side + side];
        fine = coarse;
    }
}

int main(int argc, char **argv)
{
    size_t n = sample_number(argc, argv, 1, 2, 256), side = n / 4;
    double *roots = sample_array(n / 2, sizeof *roots),
           *rows = sample_array(ROWS * n, sizeof *rows);
    double *signal = sample_array(2 * n, sizeof *signal);
    double *grids = sample_array(2 * side * side, sizeof *grids);
    for (size_t i = 0; i < n / 2; i++)
        roots[i] = 1;
    for (size_t i = 0; i < n; i++)
        signal[i] = rows[i] = 1;
    for (size_t i = 0; i < side * side; i++)
        grids[i] = (double)i;
    transform(signal, roots, n);
    for (size_t row = 0; row < ROWS; row++)
        transform(rows + row * n, roots, n);
    add_neighbours(signal, n);
    coarsen(grids, side);
    printf("doubling: %g\n", signal[0] + rows[0] + grids[0]);
    free(grids);
    free(signal);
    free(rows);
    free(roots);
}
