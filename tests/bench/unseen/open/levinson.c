/*
 * levinson [N [SYSTEMS]]: solves Toeplitz systems of order N by the recursion of Levinson and
 * Durbin, with vectors on the stack as long as the order.
 */
#include "tests/bench/unseen/code.h"

static double solve(int n, const double *r, const double *b, double *x)
{
    double y[n], z[n], beta = 1, alpha = -r[1];
    y[0] = -r[1];
    x[0] = b[0];
    for (int k = 1; k < n; k++) {
        beta *= 1 - alpha * alpha;
        double sum = b[k];
        for (int i = 0; i < k; i++)
            sum -= r[i + 1] * x[k - 1 - i];
        double mu = sum / beta;
        for (int i = 0; i < k; i++)
            x[i] += mu * y[k - 1 - i];
        x[k] = mu;
        if (k == n - 1)
            break;
        sum = -r[k + 1];
        for (int i = 0; i < k; i++)
            sum -= r[i + 1] * y[k - 1 - i];
        alpha = sum / beta;
        for (int i = 0; i < k; i++)
            z[i] = y[i] + alpha * y[k - 1 - i];
        for (int i = 0; i < k; i++)
            y[i] = z[i];
        y[k] = alpha;
    }
    return x[n / 2];
}

int main(int argc, char **argv)
{
    int n = (int)sample_number(argc, argv, 1, 4, 400);
    size_t systems = sample_number(argc, argv, 2, 1, 2);
    double *r = code_malloc((size_t)n + 1, sizeof *r), *b = code_malloc((size_t)n, sizeof *b);
    double *x = code_malloc((size_t)n, sizeof *x), sum = 0;
    for (int i = 0; i <= n; i++)
        r[i] = i ? 0.5 / (1.0 + i) : 1;
    for (size_t s = 0; s < systems; s++) {
        for (int i = 0; i < n; i++)
            b[i] = 1 + (double)(i % 7) + (double)s;
        sum += solve(n, r, b, x);
    }
    printf("levinson: %g\n", sum);
    free(r);
    free(b);
    free(x);
}
