/*
 * conjugate [ROWS [STEPS]]: the conjugate gradient method on a sparse symmetric matrix with random
 * columns, in the manner of NAS CG: products of the matrix and a vector, whose elements are found
 * through the matrix's column numbers, and passes over vectors.
 */
#include "sample.h"

#define PAIRS_PER_ROW 6 /* random entries of a row, each with its mirror image in another row */

/* Compressed rows: the entries of row r are those from starts[r] up to starts[r + 1]. */
struct matrix {
    size_t rows;
    size_t *starts;
    uint32_t *columns;
    double *values;
};

/* Row and column of the pairs in any order; each lands in two rows. */
static void build(struct matrix *matrix, const uint32_t *from, const uint32_t *to, size_t pairs)
{
    size_t rows = matrix->rows;
    size_t *counts = sample_array(rows, sizeof *counts);
    for (size_t row = 0; row < rows; row++)
        counts[row] = 1; /* the diagonal */
    for (size_t pair = 0; pair < pairs; pair++) {
        counts[from[pair]]++;
        counts[to[pair]]++;
    }
    matrix->starts[0] = 0;
    for (size_t row = 0; row < rows; row++) {
        matrix->starts[row + 1] = matrix->starts[row] + counts[row];
        counts[row] = matrix->starts[row];
        matrix->columns[counts[row]] = (uint32_t)row;
        matrix->values[counts[row]++] = 4.0 * PAIRS_PER_ROW;
    }
    for (size_t pair = 0; pair < pairs; pair++) {
        matrix->columns[counts[from[pair]]] = to[pair];
        matrix->values[counts[from[pair]]++] = -1.0;
        matrix->columns[counts[to[pair]]] = from[pair];
        matrix->values[counts[to[pair]]++] = -1.0;
    }
    free(counts);
}

SAMPLE_KERNEL static void multiply(const struct matrix *matrix, const double *restrict x,
                                   double *restrict y)
{
    for (size_t row = 0; row < matrix->rows; row++) {
        double sum = 0;
        for (size_t at = matrix->starts[row]; at < matrix->starts[row + 1]; at++)
            sum += matrix->values[at] * x[matrix->columns[at]];
        y[row] = sum;
    }
}

SAMPLE_KERNEL static double dot(const double *restrict x, const double *restrict y, size_t n)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += x[i] * y[i];
    return sum;
}

/* y += factor * x */
SAMPLE_KERNEL static void add(double *restrict y, double factor, const double *restrict x, size_t n)
{
    for (size_t i = 0; i < n; i++)
        y[i] += factor * x[i];
}

/* direction = residual + factor * direction */
SAMPLE_KERNEL static void turn(double *restrict direction, double factor,
                               const double *restrict residual, size_t n)
{
    for (size_t i = 0; i < n; i++)
        direction[i] = residual[i] + factor * direction[i];
}

int main(int argc, char **argv)
{
    size_t rows = sample_number(argc, argv, 1, 2, 20000);
    size_t steps = sample_number(argc, argv, 2, 1, 25);
    size_t pairs = rows * PAIRS_PER_ROW;
    uint64_t random = 1;
    uint32_t *from = sample_array(pairs, sizeof *from);
    uint32_t *to = sample_array(pairs, sizeof *to);
    for (size_t pair = 0; pair < pairs; pair++) {
        from[pair] = (uint32_t)(pair / PAIRS_PER_ROW);
        to[pair] = (uint32_t)sample_random_below(&random, rows);
    }
    struct matrix matrix = {
        .rows = rows,
        .starts = sample_array(rows + 1, sizeof *matrix.starts),
        .columns = sample_array(rows + 2 * pairs, sizeof *matrix.columns),
        .values = sample_array(rows + 2 * pairs, sizeof *matrix.values),
    };
    build(&matrix, from, to, pairs);
    double *x = sample_array(rows, sizeof *x);
    double *residual = sample_array(rows, sizeof *residual);
    double *direction = sample_array(rows, sizeof *direction);
    double *product = sample_array(rows, sizeof *product);
    for (size_t row = 0; row < rows; row++) {
        x[row] = 0;
        residual[row] = direction[row] = 1.0 + (double)(row % 5);
    }
    double square = dot(residual, residual, rows);
    for (size_t step = 0; step < steps && square > 0; step++) {
        multiply(&matrix, direction, product);
        double length = square / dot(direction, product, rows);
        add(x, length, direction, rows);
        add(residual, -length, product, rows);
        double next = dot(residual, residual, rows);
        turn(direction, next / square, residual, rows);
        square = next;
    }
    printf("conjugate: square of x = %.6e\n", dot(x, x, rows));
    free(from);
    free(to);
    free(matrix.starts);
    free(matrix.columns);
    free(matrix.values);
    free(x);
    free(residual);
    free(direction);
    free(product);
}
