/*
 * redblack [N [REPEATS]]: red-black Gauss-Seidel with over-relaxation on a 2-D grid, rows by
 * pointers into one block.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 64, reps = argc > 2 ? atoi(argv[2]) : 4;
    double *data = calloc((size_t)(n + 2) * (n + 2), sizeof(double));
    double *f = malloc(sizeof(double) * n * n), **u = malloc((n + 2) * sizeof(double *));
    for (int i = 0; i < n + 2; i++)
        u[i] = data + (size_t)i * (n + 2);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            f[i * n + j] = (i - j) * 1e-3;
    double norm = 0;
    for (int r = 0; r < reps; r++) {
        for (int colour = 0; colour < 2; colour++)
            for (int i = 1; i <= n; i++)
                for (int j = 1 + (i + colour) % 2; j <= n; j += 2) {
                    double g = 0.25 * (u[i - 1][j] + u[i + 1][j] + u[i][j - 1] + u[i][j + 1] -
                                       f[(i - 1) * n + j - 1]);
                    u[i][j] += 1.5 * (g - u[i][j]);
                }
        norm = 0;
        for (int i = 1; i <= n; i++)
            for (int j = 1; j <= n; j++) {
                double e = u[i - 1][j] + u[i + 1][j] + u[i][j - 1] + u[i][j + 1] - 4 * u[i][j] -
                           f[(i - 1) * n + j - 1];
                norm += e * e;
            }
    }
    printf("%g\n", sqrt(norm));
    free(data);
    free(f);
    free(u);
    return 0;
}
