/*
 * thomas [N [STEPS]]: implicit diffusion on N x N points by lines along both axes in turn, each a
 * tridiagonal system: along rows one after the other, along columns all side by side.
 */
#include "tests/bench/unseen/code.h"

#define LAMBDA 0.4

static void rows(double *u, double *c, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        double *d = u + i * n;
        double beta = 1 + 2 * LAMBDA;
        d[0] /= beta;
        for (size_t j = 1; j < n; j++) {
            c[j] = -LAMBDA / beta;
            beta = 1 + 2 * LAMBDA + LAMBDA * c[j];
            d[j] = (d[j] + LAMBDA * d[j - 1]) / beta;
        }
        for (size_t j = n - 1; j-- > 0;)
            d[j] -= c[j + 1] * d[j + 1];
    }
}

static void columns(double *u, double *c, size_t n)
{
    double beta = 1 + 2 * LAMBDA;
    for (size_t j = 0; j < n; j++)
        u[j] /= beta;
    for (size_t i = 1; i < n; i++) {
        c[i] = -LAMBDA / beta;
        beta = 1 + 2 * LAMBDA + LAMBDA * c[i];
        for (size_t j = 0; j < n; j++)
            u[i * n + j] = (u[i * n + j] + LAMBDA * u[(i - 1) * n + j]) / beta;
    }
    for (size_t i = n - 1; i-- > 0;)
        for (size_t j = 0; j < n; j++)
            u[i * n + j] -= c[i + 1] * u[(i + 1) * n + j];
}

int main(int argc, char **argv)
{
    size_t n = sample_number(argc, argv, 1, 2, 100), steps = sample_number(argc, argv, 2, 1, 4);
    double *u = code_malloc(n * n, sizeof *u), *c = code_malloc(n, sizeof *c), sum = 0;
    for (size_t i = 0; i < n * n; i++)
        u[i] = (double)(i % 17) / 17;
    for (size_t s = 0; s < steps; s++) {
        rows(u, c, n);
        columns(u, c, n);
    }
    for (size_t i = 0; i < n * n; i++)
        sum += u[i];
    printf("thomas: %.9f\n", sum);
    free(u);
    free(c);
}
