/*
 * gramschmidt [N [REPEATS]]: modified Gram-Schmidt, columns of a column-major matrix, R apart.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 64, reps = argc > 2 ? atoi(argv[2]) : 1;
    int m = n + n / 2;
    double *a = malloc(sizeof(double) * m * n), *r = calloc((size_t)n * n, sizeof(double));
    for (int rep = 0; rep < reps; rep++) {
        for (int j = 0; j < n; j++)
            for (int i = 0; i < m; i++)
                a[j * m + i] = sin(i * 0.37 + j * j * 0.11) + (i == j ? 4 : 0);
        for (int j = 0; j < n; j++) {
            double s = 0;
            for (int i = 0; i < m; i++)
                s += a[j * m + i] * a[j * m + i];
            r[j * n + j] = sqrt(s);
            for (int i = 0; i < m; i++)
                a[j * m + i] /= r[j * n + j];
            for (int k = j + 1; k < n; k++) {
                double d = 0;
                for (int i = 0; i < m; i++)
                    d += a[j * m + i] * a[k * m + i];
                r[k * n + j] = d;
                for (int i = 0; i < m; i++)
                    a[k * m + i] -= d * a[j * m + i];
            }
        }
    }
    printf("%g\n", r[n * n - 1]);
    free(a);
    free(r);
    return 0;
}
