/*
 * grid_sample N: products with the matrix of N^2 points, each with its up to eight neighbours, of
 * which one loop goes through the rows: those at the ends of a line have fewer entries, as tables
 * say. Then sweeps to and fro, as in a preconditioner.
 */
#include "samples/sample.h"

#define ENTRIES 9U
#define SWEEPS  3

struct matrix {
    size_t side, rows;
    int *count, *column; /* [row], [row * ENTRIES + entry] */
    double *value;       /* likewise */
};

static void *allocate(size_t bytes)
{
    void *memory = malloc(bytes);
    if (!memory)
        abort();
    return memory;
}

static struct matrix build(size_t side)
{
    const size_t rows = side * side;
    struct matrix m = {side, rows, allocate(rows * sizeof(int)),
                       allocate(rows * ENTRIES * sizeof(int)),
                       allocate(rows * ENTRIES * sizeof(double))};
    for (size_t row = 0; row < rows; row++) {
        const int i = (int)(row / side), j = (int)(row % side);
        int count = 0;
        for (int k = i - 1; k <= i + 1; k++)
            for (int l = j - 1; l <= j + 1; l++) {
                if (k < 0 || l < 0 || k >= (int)side || l >= (int)side)
                    continue;
                m.column[row * ENTRIES + (size_t)count] = k * (int)side + l;
                m.value[row * ENTRIES + (size_t)count++] = k == i && l == j ? 8 : -1;
            }
        m.count[row] = count;
    }
    return m;
}

SAMPLE_KERNEL static double row_times(const struct matrix *m, const double *x, size_t row)
{
    double sum = 0;
    for (int k = 0; k < m->count[row]; k++)
        sum += m->value[row * ENTRIES + (size_t)k] * x[m->column[row * ENTRIES + (size_t)k]];
    return sum;
}

SAMPLE_KERNEL static void multiply(const struct matrix *m, const double *x, double *y)
{
    for (size_t row = 0; row < m->rows; row++)
        y[row] = row_times(m, x, row);
}

SAMPLE_KERNEL static void relax(const struct matrix *m, double *x)
{
    for (size_t row = 0; row < m->rows; row++)
        x[row] -= row_times(m, x, row) / 8;
    for (size_t row = m->rows; row-- > 0;)
        x[row] -= row_times(m, x, row) / 8;
}

int main(int argc, char **argv)
{
    struct matrix m = build(sample_number(argc, argv, 1, 3, 32));
    double *x = allocate(m.rows * sizeof *x), *y = allocate(m.rows * sizeof *y), sum = 0;
    for (size_t row = 0; row < m.rows; row++)
        x[row] = 1.0 / (double)(row + 1);
    for (unsigned sweep = 0; sweep < SWEEPS; sweep++) {
        multiply(&m, x, y);
        relax(&m, y);
        multiply(&m, y, x);
    }
    for (size_t row = 0; row < m.rows; row++)
        sum += x[row];
    printf("grid_sample: %.6e\n", sum);
    free(m.count);
    free(m.column);
    free(m.value);
    free(x);
    free(y);
}
