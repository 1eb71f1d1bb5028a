/*
 * blocks [N [BLOCK]]: Cholesky's decomposition of a matrix of N x N numbers in square blocks, each
 * of which is one piece of memory; N is rounded up to blocks.
 */
#include <math.h>

#include "tests/bench/unseen/code.h"

struct matrix {
    size_t size, blocks; /* of a block; per side */
    double *data;
};

static double *block_at(const struct matrix *m, size_t i, size_t j)
{
    return m->data + (i * m->blocks + j) * m->size * m->size;
}

static void factor(double *a, size_t n)
{
    for (size_t k = 0; k < n; k++) {
        a[k * n + k] = sqrt(a[k * n + k]);
        for (size_t i = k + 1; i < n; i++)
            a[i * n + k] /= a[k * n + k];
        for (size_t j = k + 1; j < n; j++)
            for (size_t i = j; i < n; i++)
                a[i * n + j] -= a[i * n + k] * a[j * n + k];
    }
}

/* b becomes b l^-t. */
static void solve(double *b, const double *l, size_t n)
{
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < n; k++) {
            double sum = b[i * n + k];
            for (size_t j = 0; j < k; j++)
                sum -= b[i * n + j] * l[k * n + j];
            b[i * n + k] = sum / l[k * n + k];
        }
}

static void update(double *c, const double *a, const double *b, size_t n)
{
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++) {
            double sum = 0;
            for (size_t k = 0; k < n; k++)
                sum += a[i * n + k] * b[j * n + k];
            c[i * n + j] -= sum;
        }
}

int main(int argc, char **argv)
{
    size_t n = sample_number(argc, argv, 1, 1, 96), size = sample_number(argc, argv, 2, 1, 16);
    struct matrix m = {size, (n + size - 1) / size, NULL};
    size_t all = m.blocks * m.size;
    double sum = 0;
    m.data = code_malloc(all * all, sizeof *m.data);
    for (size_t i = 0; i < all; i++)
        for (size_t j = 0; j < all; j++)
            block_at(&m, i / size, j / size)[i % size * size + j % size] =
                i == j ? (double)all : 1 / (1 + fabs((double)i - (double)j));
    for (size_t k = 0; k < m.blocks; k++) {
        factor(block_at(&m, k, k), size);
        for (size_t i = k + 1; i < m.blocks; i++)
            solve(block_at(&m, i, k), block_at(&m, k, k), size);
        for (size_t i = k + 1; i < m.blocks; i++)
            for (size_t j = k + 1; j <= i; j++)
                update(block_at(&m, i, j), block_at(&m, i, k), block_at(&m, j, k), size);
    }
    for (size_t k = 0; k < all; k++)
        sum += log(block_at(&m, k / size, k / size)[k % size * size + k % size]);
    printf("blocks: %.6f\n", sum);
    free(m.data);
}
