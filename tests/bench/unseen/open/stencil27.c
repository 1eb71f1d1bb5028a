/*
 * stencil27 [N [REPEATS]]: 27-point stencil with ghost cells that are filled periodically before
 * each sweep.
 */
#include <stdio.h>
#include <stdlib.h>
static int m;
static size_t at(int i, int j, int k)
{
    return ((size_t)i * m + j) * m + k;
}
static void ghosts(double *u, int n)
{
    for (int i = 1; i <= n; i++)
        for (int j = 1; j <= n; j++) {
            u[at(i, j, 0)] = u[at(i, j, n)];
            u[at(i, j, n + 1)] = u[at(i, j, 1)];
        }
    for (int i = 1; i <= n; i++)
        for (int k = 0; k <= n + 1; k++) {
            u[at(i, 0, k)] = u[at(i, n, k)];
            u[at(i, n + 1, k)] = u[at(i, 1, k)];
        }
    for (int j = 0; j <= n + 1; j++)
        for (int k = 0; k <= n + 1; k++) {
            u[at(0, j, k)] = u[at(n, j, k)];
            u[at(n + 1, j, k)] = u[at(1, j, k)];
        }
}
int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 16, reps = argc > 2 ? atoi(argv[2]) : 2;
    static const double w[4] = {0.5, 0.05, 0.01, 0.01};
    m = n + 2;
    double *u = calloc((size_t)m * m * m, sizeof(double)),
           *v = calloc((size_t)m * m * m, sizeof(double));
    for (int i = 1; i <= n; i++)
        for (int j = 1; j <= n; j++)
            for (int k = 1; k <= n; k++)
                u[at(i, j, k)] = (i * 3 + j * 5 + k * 7) % 11;
    for (int r = 0; r < reps; r++) {
        ghosts(u, n);
        for (int i = 1; i <= n; i++)
            for (int j = 1; j <= n; j++)
                for (int k = 1; k <= n; k++) {
                    double s = 0;
                    for (int a = -1; a <= 1; a++)
                        for (int b = -1; b <= 1; b++)
                            for (int c = -1; c <= 1; c++)
                                s += w[abs(a) + abs(b) + abs(c)] * u[at(i + a, j + b, k + c)];
                    v[at(i, j, k)] = s;
                }
        double *t = u;
        u = v;
        v = t;
    }
    printf("%g\n", u[at(n / 2, n / 2, n / 2)]);
    free(u);
    free(v);
    return 0;
}
