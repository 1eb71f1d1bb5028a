/*
 * tiles [N [REPETITIONS]]: products of matrices in tiles of 32 x 32, of which N rows and columns of
 * arrays that are declared for 512 are used.
 */
#include "tests/bench/unseen/code.h"

enum { ROOM = 512, TILE = 32 };

static double a[ROOM][ROOM], b[ROOM][ROOM], c[ROOM][ROOM];

static void fill(size_t n)
{
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < n; j++) {
            a[i][j] = (double)((i + 2 * j) % 7) - 3;
            b[i][j] = (double)((3 * i + j) % 5) - 2;
            c[i][j] = 0;
        }
    }
}

static void multiply_tile(size_t row, size_t column, size_t inner)
{
    for (size_t i = row; i < row + TILE; i++) {
        for (size_t k = inner; k < inner + TILE; k++) {
            double factor = a[i][k];
            for (size_t j = column; j < column + TILE; j++)
                c[i][j] += factor * b[k][j];
        }
    }
}

static void multiply(size_t n)
{
    for (size_t i = 0; i < n; i += TILE)
        for (size_t j = 0; j < n; j += TILE)
            for (size_t k = 0; k < n; k += TILE)
                multiply_tile(i, j, k);
}

/* The product becomes the next left factor, with its entries made small again. */
static void feed_back(size_t n)
{
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < n; j++) {
            a[i][j] = c[i][j] / (1 + (double)n);
            c[i][j] = 0;
        }
    }
}

static double trace(size_t n)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += a[i][i];
    return sum;
}

int main(int argc, char **argv)
{
    size_t n = sample_number(argc, argv, 1, 1, 256);
    size_t repetitions = sample_number(argc, argv, 2, 1, 1);
    if (n > ROOM || n % TILE) {
        fprintf(stderr, "%s: %zu: a multiple of %d up to %d is needed\n", argv[0], n, TILE, ROOM);
        return 2;
    }
    fill(n);
    for (size_t r = 0; r < repetitions; r++) {
        multiply(n);
        feed_back(n);
    }
    printf("tiles: trace = %.6e\n", trace(n));
}
