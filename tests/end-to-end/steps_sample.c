/*
 * usage: steps_sample N [STEPS]
 *
 * Steps of a simulation on an N x N grid, each with a grid of its own, which malloc maps at larger
 * sizes; once such a mapping is freed, it puts blocks of that size into the heap.
 */
#include <stdio.h>

#include "samples/sample.h"

static void step(double *grid, size_t n)
{
    double *flux = malloc(n * n * sizeof *flux);
    if (!flux)
        exit(1);
    for (size_t i = 0; i < n * n; i++)
        flux[i] = 0.25 * grid[i];
    for (size_t i = 1; i < n - 1; i++)
        for (size_t j = 1; j < n - 1; j++)
            grid[i * n + j] += flux[(i - 1) * n + j] + flux[(i + 1) * n + j] - 2 * flux[i * n + j];
    free(flux);
}

int main(int argc, char **argv)
{
    const size_t n = sample_number(argc, argv, 1, 4, 64),
                 steps = sample_number(argc, argv, 2, 1, 3);
    double *grid = malloc(n * n * sizeof *grid);
    if (!grid)
        return 1;
    for (size_t i = 0; i < n * n; i++)
        grid[i] = (double)(i % n);
    for (size_t s = 0; s < steps; s++)
        step(grid, n);
    printf("%g\n", grid[n * n / 2]);
    free(grid);
    return 0;
}
