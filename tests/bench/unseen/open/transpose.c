/*
 * transpose [N [REPETITIONS]]: a matrix of N x N is transposed into another, once element by
 * element and once back in blocks of 16 x 16, as before and after somebody had tuned it.
 */
#include "tests/bench/unseen/code.h"

enum { BLOCK = 16 };

static void transpose_plain(double *restrict to, const double *restrict from, size_t n)
{
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++)
            to[j * n + i] = from[i * n + j];
}

static size_t smaller(size_t a, size_t b)
{
    return a < b ? a : b;
}

static void transpose_blocked(double *restrict to, const double *restrict from, size_t n)
{
    for (size_t row = 0; row < n; row += BLOCK) {
        size_t end_row = smaller(row + BLOCK, n);
        for (size_t column = 0; column < n; column += BLOCK) {
            size_t end_column = smaller(column + BLOCK, n);
            for (size_t i = row; i < end_row; i++)
                for (size_t j = column; j < end_column; j++)
                    to[j * n + i] = from[i * n + j];
        }
    }
}

/* Something between the two, so that each pass has new values. */
static void add_rows(double *a, size_t n)
{
    for (size_t i = 1; i < n; i++)
        for (size_t j = 0; j < n; j++)
            a[i * n + j] += 0.5 * a[(i - 1) * n + j];
}

static void fill(double *a, size_t n)
{
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++)
            a[i * n + j] = (double)((7 * i + j) % 13);
}

int main(int argc, char **argv)
{
    size_t n = sample_number(argc, argv, 1, 1, 400);
    size_t repetitions = sample_number(argc, argv, 2, 1, 2);
    double *a = code_malloc(n * n, sizeof *a), *b = code_malloc(n * n, sizeof *b);
    fill(a, n);
    for (size_t r = 0; r < repetitions; r++) {
        transpose_plain(b, a, n);
        add_rows(b, n);
        transpose_blocked(a, b, n);
    }
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += a[i * n + (i * i) % n];
    printf("transpose: sum = %.9e\n", sum);
    free(a);
    free(b);
}
