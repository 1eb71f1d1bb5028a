/*
 * ilu [N [SWEEPS]]: incomplete factors without fill (ILU(0)) of the five-point matrix of an N x N
 * grid in compressed rows, then solutions with them.
 */
#include "tests/bench/unseen/code.h"

typedef struct {
    int rows, *start, *column, *diagonal;
    double *value;
} matrix;

static void add(matrix *a, int *filled, int column, double value)
{
    a->column[*filled] = column;
    a->value[(*filled)++] = value;
}

static void build(matrix *a, int n)
{
    int filled = 0;
    a->rows = n * n;
    a->start = code_malloc((size_t)a->rows + 1, sizeof(int));
    a->diagonal = code_malloc((size_t)a->rows, sizeof(int));
    a->column = code_malloc((size_t)a->rows * 5, sizeof(int));
    a->value = code_malloc((size_t)a->rows * 5, sizeof(double));
    for (int i = 0; i < a->rows; i++) {
        int x = i % n, y = i / n;
        a->start[i] = filled;
        if (y > 0)
            add(a, &filled, i - n, -1);
        if (x > 0)
            add(a, &filled, i - 1, -1);
        a->diagonal[i] = filled;
        add(a, &filled, i, 4.1);
        if (x < n - 1)
            add(a, &filled, i + 1, -1);
        if (y < n - 1)
            add(a, &filled, i + n, -1);
    }
    a->start[a->rows] = filled;
}

static void factor(matrix *a)
{
    int *place = code_malloc((size_t)a->rows, sizeof *place);
    for (int i = 0; i < a->rows; i++)
        place[i] = -1;
    for (int i = 0; i < a->rows; i++) {
        for (int k = a->start[i]; k < a->start[i + 1]; k++)
            place[a->column[k]] = k;
        for (int k = a->start[i]; k < a->diagonal[i]; k++) {
            int row = a->column[k];
            a->value[k] /= a->value[a->diagonal[row]];
            for (int l = a->diagonal[row] + 1; l < a->start[row + 1]; l++)
                if (place[a->column[l]] >= 0)
                    a->value[place[a->column[l]]] -= a->value[k] * a->value[l];
        }
        for (int k = a->start[i]; k < a->start[i + 1]; k++)
            place[a->column[k]] = -1;
    }
    free(place);
}

static void solve(const matrix *a, double *x)
{
    for (int i = 0; i < a->rows; i++) {
        double sum = x[i];
        for (int k = a->start[i]; k < a->diagonal[i]; k++)
            sum -= a->value[k] * x[a->column[k]];
        x[i] = sum;
    }
    for (int i = a->rows - 1; i >= 0; i--) {
        double sum = x[i];
        for (int k = a->diagonal[i] + 1; k < a->start[i + 1]; k++)
            sum -= a->value[k] * x[a->column[k]];
        x[i] = sum / a->value[a->diagonal[i]];
    }
}

int main(int argc, char **argv)
{
    int n = (int)sample_number(argc, argv, 1, 2, 64);
    int sweeps = (int)sample_number(argc, argv, 2, 1, 3);
    matrix a;
    build(&a, n);
    factor(&a);
    double *x = code_malloc((size_t)a.rows, sizeof *x);
    for (int i = 0; i < a.rows; i++)
        x[i] = 1;
    for (int s = 0; s < sweeps; s++)
        solve(&a, x);
    printf("ilu: %g\n", x[a.rows / 2]);
    free(a.start);
    free(a.diagonal);
    free(a.column);
    free(a.value);
    free(x);
}
