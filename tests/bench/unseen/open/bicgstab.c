/*
 * bicgstab [ROWS [ITERATIONS]]: the stabilised biconjugate gradients of van der Vorst (1992) with
 * Jacobi's preconditioner, for a matrix in ELLPACK rows of nine entries: some near the diagonal,
 * others anywhere, as in a circuit.
 */
#include <math.h>

#include "tests/bench/unseen/code.h"

enum { WIDTH = 9 };

struct matrix {
    size_t rows;
    double *value; /* entry k of row i at k * rows + i */
    int *column;
    double *diagonal;
};

static struct matrix assemble(size_t rows)
{
    struct matrix matrix = {rows, code_malloc(WIDTH * rows, sizeof(double)),
                            code_malloc(WIDTH * rows, sizeof(int)),
                            code_malloc(rows, sizeof(double))};
    uint64_t random = 83;
    for (size_t i = 0; i < rows; i++) {
        double sum = 0;
        for (size_t k = 1; k < WIDTH; k++) {
            size_t column = k < 6 ? (i + k * k) % rows : sample_random_below(&random, rows);
            double value = -0.1 - code_uniform(&random);
            matrix.column[k * rows + i] = (int)column;
            matrix.value[k * rows + i] = value;
            sum -= value;
        }
        matrix.column[i] = (int)i;
        matrix.value[i] = matrix.diagonal[i] = 1.2 * sum;
    }
    return matrix;
}

static void multiply(const struct matrix *matrix, const double *restrict x, double *restrict y)
{
    size_t rows = matrix->rows;
    for (size_t i = 0; i < rows; i++)
        y[i] = 0;
    for (size_t k = 0; k < WIDTH; k++)
        for (size_t i = 0; i < rows; i++)
            y[i] += matrix->value[k * rows + i] * x[matrix->column[k * rows + i]];
}

static void precondition(const struct matrix *matrix, const double *restrict x, double *restrict y)
{
    for (size_t i = 0; i < matrix->rows; i++)
        y[i] = x[i] / matrix->diagonal[i];
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
    enum { R, SHADOW, P, V, T, HELP, VECTORS };
    size_t n = matrix->rows;
    double *w[VECTORS], rho = 1, alpha = 1, omega = 1;
    for (int k = 0; k < VECTORS; k++)
        w[k] = code_calloc(n, sizeof(double));
    for (size_t i = 0; i < n; i++)
        w[R][i] = w[SHADOW][i] = b[i];
    for (size_t iteration = 0; iteration < iterations; iteration++) {
        double before = rho;
        rho = dot(w[SHADOW], w[R], n);
        double beta = rho / before * (alpha / omega);
        for (size_t i = 0; i < n; i++)
            w[P][i] = w[R][i] + beta * (w[P][i] - omega * w[V][i]);
        precondition(matrix, w[P], w[HELP]);
        multiply(matrix, w[HELP], w[V]);
        alpha = rho / dot(w[SHADOW], w[V], n);
        for (size_t i = 0; i < n; i++) {
            x[i] += alpha * w[HELP][i];
            w[R][i] -= alpha * w[V][i];
        }
        precondition(matrix, w[R], w[HELP]);
        multiply(matrix, w[HELP], w[T]);
        omega = dot(w[T], w[R], n) / dot(w[T], w[T], n);
        for (size_t i = 0; i < n; i++) {
            x[i] += omega * w[HELP][i];
            w[R][i] -= omega * w[T][i];
        }
    }
    double norm = sqrt(dot(w[R], w[R], n));
    for (int k = 0; k < VECTORS; k++)
        free(w[k]);
    return norm;
}

int main(int argc, char **argv)
{
    size_t rows = sample_number(argc, argv, 1, WIDTH, 10000);
    size_t iterations = sample_number(argc, argv, 2, 1, 4);
    struct matrix matrix = assemble(rows);
    double *x = code_calloc(rows, sizeof *x), *b = code_malloc(rows, sizeof *b);
    for (size_t i = 0; i < rows; i++)
        b[i] = (double)(i % 29) - 14;
    printf("bicgstab: norm of the residual = %.6e\n", solve(&matrix, x, b, iterations));
    free(matrix.value);
    free(matrix.column);
    free(matrix.diagonal);
    free(x);
    free(b);
}
