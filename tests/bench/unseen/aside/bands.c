/*
 * bands [ROWS [ITERATIONS]]: Jacobi iterations with a matrix in ELLPACK form, column by column, of
 * seven entries a row: the diagonal, its neighbours, and four at random within a band.
 */
#include <math.h>

#include "tests/bench/unseen/code.h"

#define ENTRIES 7
#define BAND    400

struct matrix {
    size_t rows;
    double *values; /* [ENTRIES][rows] */
    int *columns;   /* likewise */
};

static int near_row(size_t row, size_t rows, long offset)
{
    long column = (long)row + offset;
    return (int)(column < 0 ? 0 : column >= (long)rows ? (long)rows - 1 : column);
}

static struct matrix create(size_t rows)
{
    struct matrix a = {rows, code_malloc(ENTRIES * rows, sizeof *a.values),
                       code_malloc(ENTRIES * rows, sizeof *a.columns)};
    uint64_t random = 7;
    for (size_t r = 0; r < rows; r++)
        for (size_t e = 0; e < ENTRIES; e++) {
            long offset = e < 3 ? (long)e - 1 : (long)(sample_random(&random) % (2 * BAND)) - BAND;
            a.columns[e * rows + r] = near_row(r, rows, offset);
            a.values[e * rows + r] = e == 1 ? 0 : 0.1;
        }
    return a;
}

static void multiply(const struct matrix *a, const double *x, double *y)
{
    for (size_t r = 0; r < a->rows; r++)
        y[r] = 0;
    for (size_t e = 0; e < ENTRIES; e++)
        for (size_t r = 0; r < a->rows; r++)
            y[r] += a->values[e * a->rows + r] * x[a->columns[e * a->rows + r]];
}

int main(int argc, char **argv)
{
    size_t rows = sample_number(argc, argv, 1, 1, 20000);
    size_t iterations = sample_number(argc, argv, 2, 1, 10);
    struct matrix a = create(rows);
    double *x = code_calloc(rows, sizeof *x), *y = code_malloc(rows, sizeof *y), change = 0;
    for (size_t i = 0; i < iterations; i++) {
        multiply(&a, x, y);
        change = 0;
        for (size_t r = 0; r < rows; r++) {
            double next = (1 + y[r]) / 1.5;
            change = fmax(change, fabs(next - x[r]));
            x[r] = next;
        }
    }
    printf("bands: last change %.9f\n", change);
    free(a.values);
    free(a.columns);
    free(x);
    free(y);
}
