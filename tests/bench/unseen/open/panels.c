/*
 * panels [N [REPETITIONS]]: Crout's decomposition with pivoting in panels of 16 columns, in an
 * array of rows with room for 1,024 numbers: a panel by columns, the rows to its right, and the
 * rest by products.
 */
#include <math.h>

#include "tests/bench/unseen/code.h"

enum { ROOM = 1024, PANEL = 16 };

static double a[ROOM][ROOM];

static size_t pivot_of(size_t column, size_t n)
{
    size_t best = column;
    for (size_t i = column + 1; i < n; i++)
        if (fabs(a[i][column]) > fabs(a[best][column]))
            best = i;
    return best;
}

static void swap_rows(size_t i, size_t k, size_t n)
{
    for (size_t j = 0; i != k && j < n; j++) {
        double kept = a[i][j];
        a[i][j] = a[k][j];
        a[k][j] = kept;
    }
}

static void factor_panel(size_t first, size_t end, size_t n)
{
    for (size_t k = first; k < end; k++) {
        swap_rows(k, pivot_of(k, n), n);
        for (size_t i = k + 1; i < n; i++) {
            a[i][k] /= a[k][k];
            for (size_t j = k + 1; j < end; j++)
                a[i][j] -= a[i][k] * a[k][j];
        }
    }
}

static void factor(size_t n)
{
    for (size_t first = 0; first < n; first += PANEL) {
        size_t end = first + PANEL < n ? first + PANEL : n;
        factor_panel(first, end, n);
        for (size_t k = first; k < end; k++)
            for (size_t i = k + 1; i < end; i++)
                for (size_t j = end; j < n; j++)
                    a[i][j] -= a[i][k] * a[k][j];
        for (size_t i = end; i < n; i++)
            for (size_t k = first; k < end; k++)
                for (size_t j = end; j < n; j++)
                    a[i][j] -= a[i][k] * a[k][j];
    }
}

int main(int argc, char **argv)
{
    size_t n = sample_number(argc, argv, 1, 2, 200);
    size_t repetitions = sample_number(argc, argv, 2, 1, 1);
    uint64_t random = 16;
    double log_determinant = 0;
    if (n > ROOM) {
        fprintf(stderr, "panels: no more than %d rows\n", ROOM);
        return 2;
    }
    for (size_t r = 0; r < repetitions; r++) {
        for (size_t i = 0; i < n; i++)
            for (size_t j = 0; j < n; j++)
                a[i][j] = code_uniform(&random) - 0.5;
        factor(n);
        for (size_t i = 0; i < n; i++)
            log_determinant += log(fabs(a[i][i]));
    }
    printf("panels: %.6f\n", log_determinant);
}
