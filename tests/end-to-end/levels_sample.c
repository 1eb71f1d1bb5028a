/*
 * levels_sample N: cycles through N^2 points and grids of half as many per side each, by a routine
 * that calls itself; each grid in blocks of its own. Then transforms of rows that go to and fro
 * between two arrays. N is a power of two.
 */
#include "samples/sample.h"

#define LEVELS_MAX 32
#define CYCLES     2
#define ROWS       6U

struct grid {
    size_t side; /* with the border */
    double *u, *f;
};

static double *allocate(size_t count)
{
    double *values = malloc(count * sizeof *values);
    if (!values)
        abort();
    return values;
}

#define AT(values, i, j) (values)[(i)*side + (j)]

SAMPLE_KERNEL static void relax(const struct grid *grid)
{
    const size_t side = grid->side;
    double *u = grid->u;
    for (size_t i = 1; i < side - 1; i++)
        for (size_t j = 1; j < side - 1; j++)
            AT(u, i, j) = 0.25 * (AT(u, i - 1, j) + AT(u, i + 1, j) + AT(u, i, j - 1) +
                                  AT(u, i, j + 1) + AT(grid->f, i, j));
}

SAMPLE_KERNEL static void restrict_to(const struct grid *fine, const struct grid *coarse)
{
    const size_t side = fine->side;
    for (size_t i = 1; i < coarse->side - 1; i++)
        for (size_t j = 1; j < coarse->side - 1; j++) {
            coarse->f[i * coarse->side + j] = AT(fine->f, 2 * i, 2 * j) - AT(fine->u, 2 * i, 2 * j);
            coarse->u[i * coarse->side + j] = 0;
        }
}

SAMPLE_KERNEL static void correct(const struct grid *coarse, const struct grid *fine)
{
    const size_t side = fine->side;
    for (size_t i = 1; i < coarse->side - 1; i++)
        for (size_t j = 1; j < coarse->side - 1; j++)
            AT(fine->u, 2 * i, 2 * j) += coarse->u[i * coarse->side + j];
}

SAMPLE_KERNEL static void cycle(const struct grid *grid)
{
    relax(grid);
    if (grid->side > 3) {
        restrict_to(grid, grid + 1);
        cycle(grid + 1);
        correct(grid + 1, grid);
    }
    relax(grid);
}

/* Stockham's order, without the twiddle factors. */
SAMPLE_KERNEL static void transform(double *row, double *other, size_t n)
{
    for (size_t half = n / 2, stride = 1; half >= 1; half /= 2, stride *= 2) {
        for (size_t p = 0; p < half; p++)
            for (size_t q = 0; q < stride; q++) {
                const double a = row[q + stride * p], b = row[q + stride * (p + half)];
                other[q + stride * 2 * p] = a + b;
                other[q + stride * (2 * p + 1)] = a - b;
            }
        double *const kept = row;
        row = other;
        other = kept;
    }
}

int main(int argc, char **argv)
{
    const size_t n = sample_number(argc, argv, 1, 4, 256);
    struct grid grids[LEVELS_MAX];
    size_t count = 0;
    double *rows = allocate(ROWS * n), *other = allocate(n);
    for (size_t half = n; half >= 2; half /= 2) {
        const size_t points = (half + 1) * (half + 1);
        double *u = allocate(points), *f = allocate(points);
        for (size_t i = 0; i < points; i++)
            u[i] = f[i] = 1;
        grids[count++] = (struct grid){half + 1, u, f};
    }
    for (int i = 0; i < CYCLES; i++)
        cycle(grids);
    for (size_t i = 0; i < ROWS * n; i++)
        rows[i] = (double)(i % 7);
    for (size_t i = 0; i < ROWS; i++)
        transform(rows + i * n, other, n);
    printf("levels_sample: %f %f\n", grids[0].u[n + 2], rows[0]);
    for (size_t g = 0; g < count; g++) {
        free(grids[g].f);
        free(grids[g].u);
    }
    free(other);
    free(rows);
}
