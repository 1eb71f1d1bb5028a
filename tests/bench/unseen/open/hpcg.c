/*
 * hpcg [N [ITERATIONS]]: conjugate gradients in N^3 points with rows of up to 27 entries and a
 * symmetric Gauss-Seidel sweep as preconditioner, as the benchmark HPCG without its coarse grids.
 */
#include <math.h>

#include "tests/bench/unseen/code.h"

enum { ENTRIES = 27 };

struct grid {
    size_t rows;
    int *count, *column; /* [row * ENTRIES + entry] */
    double *value;
};

static struct grid build(int n)
{
    size_t rows = (size_t)n * (size_t)n * (size_t)n;
    struct grid g = {rows, code_calloc(rows, sizeof(int)), code_malloc(rows * ENTRIES, sizeof(int)),
                     code_malloc(rows * ENTRIES, sizeof(double))};
    for (int z = 0; z < n; z++)
        for (int y = 0; y < n; y++)
            for (int x = 0; x < n; x++) {
                size_t row = ((size_t)z * (size_t)n + (size_t)y) * (size_t)n + (size_t)x;
                for (int k = 0; k < ENTRIES; k++) {
                    int i = x + k % 3 - 1, j = y + k / 3 % 3 - 1, l = z + k / 9 - 1;
                    if (i < 0 || j < 0 || l < 0 || i >= n || j >= n || l >= n)
                        continue;
                    size_t entry = row * ENTRIES + (size_t)g.count[row]++;
                    g.column[entry] = (l * n + j) * n + i;
                    g.value[entry] = k == ENTRIES / 2 ? 26 : -1;
                }
            }
    return g;
}

static void relax(const struct grid *g, const double *right, double *x, size_t row)
{
    double sum = right[row], own = 1;
    for (int k = 0; k < g->count[row]; k++) {
        size_t entry = row * ENTRIES + (size_t)k;
        if ((size_t)g->column[entry] == row)
            own = g->value[entry];
        else
            sum -= g->value[entry] * x[g->column[entry]];
    }
    x[row] = sum / own;
}

static void precondition(const struct grid *g, const double *right, double *x)
{
    for (size_t i = 0; i < g->rows; i++)
        x[i] = 0;
    for (size_t i = 0; i < g->rows; i++)
        relax(g, right, x, i);
    for (size_t i = g->rows; i-- > 0;)
        relax(g, right, x, i);
}

static void multiply(const struct grid *g, const double *x, double *y)
{
    for (size_t row = 0; row < g->rows; row++) {
        double sum = 0;
        for (int k = 0; k < g->count[row]; k++)
            sum += g->value[row * ENTRIES + (size_t)k] * x[g->column[row * ENTRIES + (size_t)k]];
        y[row] = sum;
    }
}

static double dot(const double *a, const double *b, size_t count)
{
    double sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += a[i] * b[i];
    return sum;
}

int main(int argc, char **argv)
{
    size_t n = sample_number(argc, argv, 1, 2, 16), iterations = sample_number(argc, argv, 2, 1, 3);
    struct grid g = build((int)n);
    double *x = code_calloc(g.rows, 8), *r = code_malloc(g.rows, 8), *z = code_malloc(g.rows, 8);
    double *p = code_calloc(g.rows, 8), *q = code_malloc(g.rows, 8), before = 0;
    for (size_t i = 0; i < g.rows; i++)
        r[i] = 1;
    for (size_t k = 0; k < iterations; k++) {
        precondition(&g, r, z);
        double now = dot(r, z, g.rows), beta = k ? now / before : 0;
        for (size_t i = 0; i < g.rows; i++)
            p[i] = z[i] + beta * p[i];
        multiply(&g, p, q);
        double alpha = now / dot(p, q, g.rows);
        for (size_t i = 0; i < g.rows; i++) {
            x[i] += alpha * p[i];
            r[i] -= alpha * q[i];
        }
        before = now;
    }
    printf("hpcg: residual %.6e\n", sqrt(dot(r, r, g.rows)));
    free(g.count);
    free(g.column);
    free(g.value);
    free(x);
    free(r);
    free(z);
    free(p);
    free(q);
}
