/*
 * cg [N [ITERATIONS]]: conjugate gradients for the seven-point Laplacian on N^3 points, whose
 * matrix is assembled in compressed rows.
 */
#include <math.h>

#include "tests/bench/unseen/code.h"

struct matrix {
    size_t rows;
    int *first, *column;
    double *value;
};

static struct matrix assemble(size_t n)
{
    size_t rows = n * n * n;
    struct matrix matrix = {rows, code_malloc(rows + 1, sizeof(int)),
                            code_malloc(7 * rows, sizeof(int)),
                            code_malloc(7 * rows, sizeof(double))};
    int at = 0;
    matrix.first[0] = 0;
    for (size_t row = 0; row < rows; row++) {
        size_t x = row % n, y = row / n % n, z = row / n / n;
        size_t n2 = n * n;
        size_t neighbours[7] = {row - n2, row - n, row - 1, row, row + 1, row + n, row + n2};
        int inside[7] = {z > 0, y > 0, x > 0, 1, x + 1 < n, y + 1 < n, z + 1 < n};
        for (int k = 0; k < 7; k++) {
            if (!inside[k])
                continue;
            matrix.column[at] = (int)neighbours[k];
            matrix.value[at++] = k == 3 ? 6.0 : -1.0;
        }
        matrix.first[row + 1] = at;
    }
    return matrix;
}

static void multiply(const struct matrix *matrix, const double *x, double *y)
{
    for (size_t row = 0; row < matrix->rows; row++) {
        double sum = 0;
        for (int k = matrix->first[row]; k < matrix->first[row + 1]; k++)
            sum += matrix->value[k] * x[matrix->column[k]];
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

static double solve(const struct matrix *matrix, double *x, const double *b, size_t iterations)
{
    size_t rows = matrix->rows;
    double *r = code_malloc(rows, sizeof *r), *p = code_malloc(rows, sizeof *p);
    double *q = code_malloc(rows, sizeof *q);
    for (size_t i = 0; i < rows; i++) {
        x[i] = 0;
        p[i] = r[i] = b[i];
    }
    double rho = dot(r, r, rows);
    for (size_t k = 0; k < iterations; k++) {
        multiply(matrix, p, q);
        double alpha = rho / dot(p, q, rows);
        for (size_t i = 0; i < rows; i++) {
            x[i] += alpha * p[i];
            r[i] -= alpha * q[i];
        }
        double before = rho;
        rho = dot(r, r, rows);
        for (size_t i = 0; i < rows; i++)
            p[i] = r[i] + rho / before * p[i];
    }
    free(r);
    free(p);
    free(q);
    return sqrt(rho);
}

int main(int argc, char **argv)
{
    size_t n = sample_number(argc, argv, 1, 2, 32);
    size_t iterations = sample_number(argc, argv, 2, 1, 5);
    struct matrix matrix = assemble(n);
    double *x = code_malloc(matrix.rows, sizeof *x), *b = code_malloc(matrix.rows, sizeof *b);
    for (size_t i = 0; i < matrix.rows; i++)
        b[i] = (double)(i % 19) - 9;
    double norm = solve(&matrix, x, b, iterations);
    printf("cg: norm of the residual = %.6e\n", norm);
    free(matrix.first);
    free(matrix.column);
    free(matrix.value);
    free(x);
    free(b);
}
