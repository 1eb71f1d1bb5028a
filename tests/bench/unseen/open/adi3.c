/*
 * adi3 [N [REPEATS]]: implicit heat in three dimensions: alternating directions, a tridiagonal
 * system by line (Thomas).
 */
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
static int n;
#define U(i, j, k) u[((size_t)(i)*n + (j)) * n + (k)]
static void thomas(double *v, ptrdiff_t stride, double *cp, double *dp)
{
    cp[0] = -0.25;
    dp[0] = v[0];
    for (int i = 1; i < n; i++) {
        double m = 1 / (1.5 + 0.25 * cp[i - 1]);
        cp[i] = -0.25 * m;
        dp[i] = (v[i * stride] + 0.25 * dp[i - 1]) * m;
    }
    v[(n - 1) * stride] = dp[n - 1];
    for (int i = n - 2; i >= 0; i--)
        v[i * stride] = dp[i] - cp[i] * v[(i + 1) * stride];
}
int main(int argc, char **argv)
{
    n = argc > 1 ? atoi(argv[1]) : 16;
    int reps = argc > 2 ? atoi(argv[2]) : 2;
    double *u = malloc(sizeof(double) * n * n * n), *cp = malloc(n * sizeof(double)),
           *dp = malloc(n * sizeof(double));
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            for (int k = 0; k < n; k++)
                U(i, j, k) = i + 0.5 * j - 0.25 * k;
    for (int r = 0; r < reps; r++) {
        for (int j = 0; j < n; j++)
            for (int k = 0; k < n; k++)
                thomas(&U(0, j, k), (ptrdiff_t)n * n, cp, dp);
        for (int i = 0; i < n; i++)
            for (int k = 0; k < n; k++)
                thomas(&U(i, 0, k), n, cp, dp);
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++)
                thomas(&U(i, j, 0), 1, cp, dp);
    }
    double sum = 0;
    for (int i = 0; i < n * n * n; i++)
        sum += u[i];
    printf("%g\n", sum);
    free(u);
    free(cp);
    free(dp);
    return 0;
}
