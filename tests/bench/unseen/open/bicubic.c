/*
 * bicubic [N [POINTS PER CELL]]: a field on N x N points of a torus at places that wander through
 * it, by cubic polynomials through 4 x 4 of them.
 */
#include <math.h>

#include "tests/bench/unseen/code.h"

static void weights(double t, double w[4])
{
    w[0] = -t * (t - 1) * (t - 2) / 6;
    w[1] = (t + 1) * (t - 1) * (t - 2) / 2;
    w[2] = -(t + 1) * t * (t - 2) / 2;
    w[3] = (t + 1) * t * (t - 1) / 6;
}

static double interpolate(const double *field, size_t n, double x, double y)
{
    size_t i = (size_t)x, j = (size_t)y;
    double wx[4], wy[4], sum = 0;
    weights(x - (double)i, wx);
    weights(y - (double)j, wy);
    for (size_t a = 0; a < 4; a++) {
        const double *row = field + (i + a + n - 1) % n * n;
        double part = 0;
        for (size_t b = 0; b < 4; b++)
            part += wy[b] * row[(j + b + n - 1) % n];
        sum += wx[a] * part;
    }
    return sum;
}

static double within(double x, double n)
{
    return x < 0 ? x + n : x >= n ? x - n : x;
}

int main(int argc, char **argv)
{
    size_t n = sample_number(argc, argv, 1, 4, 100), each = sample_number(argc, argv, 2, 1, 2);
    double *field = code_malloc(n * n, sizeof *field), sum = 0;
    double x = 0, y = 0;
    uint64_t random = 5;
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++)
            field[i * n + j] = sin((double)i) * cos((double)j / 3);
    for (size_t p = 0; p < each * n * n; p++) {
        x = within(x + 8 * code_uniform(&random) - 4, (double)n);
        y = within(y + 8 * code_uniform(&random) - 4, (double)n);
        sum += interpolate(field, n, x, y);
    }
    printf("bicubic: %.9f\n", sum);
    free(field);
}
