/*
 * householder [N [REPETITIONS]]: least squares with 2 N equations of N unknowns by Householder's
 * reflections (1958), columns one after the other in memory, and back substitution.
 */
#include <math.h>

#include "tests/bench/unseen/code.h"

static double dot(const double *a, const double *b, size_t count)
{
    double sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += a[i] * b[i];
    return sum;
}

/* Reflects column by v = own column from the diagonal on, of which v * v is twice the scale. */
static void reflect(double *column, const double *v, size_t count, double scale)
{
    double share = dot(column, v, count) / scale;
    for (size_t i = 0; i < count; i++)
        column[i] -= share * v[i];
}

static void solve(double *a, double *right, double *diagonal, size_t rows, size_t columns)
{
    for (size_t k = 0; k < columns; k++) {
        double *v = a + k * rows + k;
        size_t count = rows - k;
        double norm = sqrt(dot(v, v, count)), sign = v[0] < 0 ? -1 : 1;
        diagonal[k] = -sign * norm;
        double scale = norm * (norm + fabs(v[0]));
        v[0] += sign * norm;
        for (size_t j = k + 1; j < columns; j++)
            reflect(a + j * rows + k, v, count, scale);
        reflect(right + k, v, count, scale);
    }
    for (size_t k = columns; k-- > 0;) {
        double sum = right[k];
        for (size_t j = k + 1; j < columns; j++)
            sum -= a[j * rows + k] * right[j];
        right[k] = sum / diagonal[k];
    }
}

int main(int argc, char **argv)
{
    size_t n = sample_number(argc, argv, 1, 2, 128);
    size_t repetitions = sample_number(argc, argv, 2, 1, 1), rows = 2 * n;
    double *a = code_malloc(rows * n, sizeof *a), *right = code_malloc(rows, sizeof *right);
    double *diagonal = code_malloc(n, sizeof *diagonal), sum = 0;
    uint64_t random = 5;
    for (size_t r = 0; r < repetitions; r++) {
        for (size_t i = 0; i < rows * n; i++)
            a[i] = code_uniform(&random) - 0.5;
        for (size_t i = 0; i < rows; i++)
            right[i] = code_uniform(&random);
        solve(a, right, diagonal, rows, n);
        sum += dot(right, right, n);
    }
    printf("householder: norm %.6e\n", sqrt(sum));
    free(a);
    free(right);
    free(diagonal);
}
