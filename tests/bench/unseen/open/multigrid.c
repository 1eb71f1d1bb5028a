/*
 * multigrid [N [CYCLES]]: V-cycles for Poisson's equation on (N + 1)^2 points, N a power of two:
 * red-black Gauss-Seidel before and after the correction from the grid of half as many points per
 * side, full weighting down, bilinear interpolation up.
 */
#include <math.h>

#include "tests/bench/unseen/code.h"

struct grid {
    size_t side; /* points, with the border */
    double *u, *f, *residual;
};

#define AT(values, i, j) (values)[(i)*side + (j)]

static void relax(const struct grid *grid)
{
    size_t side = grid->side;
    double h = 1.0 / (double)(side - 1), *u = grid->u;
    for (size_t colour = 0; colour < 2; colour++)
        for (size_t i = 1; i < side - 1; i++)
            for (size_t j = 1 + (i + colour) % 2; j < side - 1; j += 2)
                AT(u, i, j) = 0.25 * (AT(u, i - 1, j) + AT(u, i + 1, j) + AT(u, i, j - 1) +
                                      AT(u, i, j + 1) + h * h * AT(grid->f, i, j));
}

static double compute_residual(const struct grid *grid)
{
    size_t side = grid->side;
    double per_h2 = (double)(side - 1) * (double)(side - 1), largest = 0;
    const double *u = grid->u;
    for (size_t i = 1; i < side - 1; i++) {
        for (size_t j = 1; j < side - 1; j++) {
            double r =
                AT(grid->f, i, j) - per_h2 * (4 * AT(u, i, j) - AT(u, i - 1, j) - AT(u, i + 1, j) -
                                              AT(u, i, j - 1) - AT(u, i, j + 1));
            AT(grid->residual, i, j) = r;
            largest = fmax(largest, fabs(r));
        }
    }
    return largest;
}

static void restrict_residual(const struct grid *fine, const struct grid *coarse)
{
    size_t side = fine->side;
    const double *r = fine->residual;
    for (size_t i = 1; i < coarse->side - 1; i++) {
        for (size_t j = 1; j < coarse->side - 1; j++) {
            size_t at = 2 * i * side + 2 * j;
            coarse->f[i * coarse->side + j] =
                0.25 * r[at] + 0.125 * (r[at - 1] + r[at + 1] + r[at - side] + r[at + side]) +
                0.0625 *
                    (r[at - side - 1] + r[at - side + 1] + r[at + side - 1] + r[at + side + 1]);
            coarse->u[i * coarse->side + j] = 0;
        }
    }
}

static void add_correction(const struct grid *coarse, const struct grid *fine)
{
    size_t side = fine->side, half = coarse->side;
    for (size_t i = 1; i < side - 1; i++) {
        const double *low = coarse->u + i / 2 * half, *high = coarse->u + (i + 1) / 2 * half;
        for (size_t j = 1; j < side - 1; j++)
            AT(fine->u, i, j) +=
                0.25 * (low[j / 2] + low[(j + 1) / 2] + high[j / 2] + high[(j + 1) / 2]);
    }
}

static void cycle(const struct grid *grid)
{
    if (grid->side == 3) {
        relax(grid);
        return;
    }
    relax(grid);
    relax(grid);
    compute_residual(grid);
    restrict_residual(grid, grid + 1);
    cycle(grid + 1);
    add_correction(grid + 1, grid);
    relax(grid);
    relax(grid);
}

int main(int argc, char **argv)
{
    size_t n = sample_number(argc, argv, 1, 2, 256);
    size_t cycles = sample_number(argc, argv, 2, 1, 2);
    if (n & (n - 1)) {
        fprintf(stderr, "%s: %zu intervals per side: a power of two is needed\n", argv[0], n);
        return 2;
    }
    struct grid grids[64];
    size_t count = 0;
    for (size_t intervals = n; intervals >= 2; intervals /= 2) {
        size_t side = intervals + 1, points = side * side;
        grids[count++] =
            (struct grid){side, code_calloc(points, sizeof(double)),
                          code_calloc(points, sizeof(double)), code_calloc(points, sizeof(double))};
    }
    for (size_t i = 1; i < n; i++)
        for (size_t j = 1; j < n; j++)
            grids[0].f[i * (n + 1) + j] = (double)((3 * i + 5 * j) % 17) - 8;
    for (size_t c = 0; c < cycles; c++)
        cycle(&grids[0]);
    printf("multigrid: largest residual = %.6e\n", compute_residual(&grids[0]));
    for (size_t g = 0; g < count; g++) {
        free(grids[g].u);
        free(grids[g].f);
        free(grids[g].residual);
    }
}
