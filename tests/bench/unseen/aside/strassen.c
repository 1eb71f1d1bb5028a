/*
 * strassen [N]: a product of N x N matrices by Strassen's recursion down to 32 x 32, N such a
 * number times a power of two.
 */
#include <string.h>

#include "tests/bench/unseen/code.h"

#define LEAF 32

/* c = a + sign b, of n x n in rows of their strides. */
static void add(const double *a, size_t as, const double *b, size_t bs, double sign, double *c,
                size_t cs, size_t n)
{
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++)
            c[i * cs + j] = a[i * as + j] + sign * b[i * bs + j];
}

static void multiply(const double *a, size_t as, const double *b, size_t bs, double *c, size_t n,
                     double *space)
{
    if (n <= LEAF) {
        memset(c, 0, n * n * sizeof *c);
        for (size_t i = 0; i < n; i++)
            for (size_t k = 0; k < n; k++)
                for (size_t j = 0; j < n; j++)
                    c[i * n + j] += a[i * as + k] * b[k * bs + j];
        return;
    }
    size_t h = n / 2, q = h * h;
    const double *a11 = a, *a12 = a + h, *a21 = a + h * as, *a22 = a21 + h;
    const double *b11 = b, *b12 = b + h, *b21 = b + h * bs, *b22 = b21 + h;
    double *s = space, *t = s + q, *m = t + q, *rest = m + 7 * q;
    add(a11, as, a22, as, 1, s, h, h);
    add(b11, bs, b22, bs, 1, t, h, h);
    multiply(s, h, t, h, m, h, rest);
    add(a21, as, a22, as, 1, s, h, h);
    multiply(s, h, b11, bs, m + q, h, rest);
    add(b12, bs, b22, bs, -1, t, h, h);
    multiply(a11, as, t, h, m + 2 * q, h, rest);
    add(b21, bs, b11, bs, -1, t, h, h);
    multiply(a22, as, t, h, m + 3 * q, h, rest);
    add(a11, as, a12, as, 1, s, h, h);
    multiply(s, h, b22, bs, m + 4 * q, h, rest);
    add(a21, as, a11, as, -1, s, h, h);
    add(b11, bs, b12, bs, 1, t, h, h);
    multiply(s, h, t, h, m + 5 * q, h, rest);
    add(a12, as, a22, as, -1, s, h, h);
    add(b21, bs, b22, bs, 1, t, h, h);
    multiply(s, h, t, h, m + 6 * q, h, rest);
    for (size_t i = 0; i < h; i++)
        for (size_t j = 0; j < h; j++) {
            size_t at = i * h + j;
            c[i * n + j] = m[at] + m[3 * q + at] - m[4 * q + at] + m[6 * q + at];
            c[i * n + h + j] = m[2 * q + at] + m[4 * q + at];
            c[(h + i) * n + j] = m[q + at] + m[3 * q + at];
            c[(h + i) * n + h + j] = m[at] - m[q + at] + m[2 * q + at] + m[5 * q + at];
        }
}

int main(int argc, char **argv)
{
    size_t n = sample_number(argc, argv, 1, 1, 128);
    double *a = code_malloc(n * n, sizeof *a), *b = code_malloc(n * n, sizeof *b);
    double *c = code_malloc(n * n, sizeof *c), *space = code_malloc(4 * n * n, sizeof *space);
    double sum = 0;
    for (size_t i = 0; i < n * n; i++) {
        a[i] = (double)(i % 7) - 3;
        b[i] = (double)(i % 11) - 5;
    }
    multiply(a, n, b, n, c, n, space);
    for (size_t i = 0; i < n * n; i++)
        sum += c[i];
    printf("strassen: %.0f\n", sum);
    free(a);
    free(b);
    free(c);
    free(space);
}
