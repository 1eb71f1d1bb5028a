/*
 * lupivot [N [REPEATS]]: LU with partial pivoting, rows swapped in memory, then two triangular
 * solves.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 64, reps = argc > 2 ? atoi(argv[2]) : 1;
    double *a = malloc(sizeof(double) * n * n), *b = malloc(sizeof(double) * n);
    int *p = malloc(sizeof(int) * n);
    for (int r = 0; r < reps; r++) {
        srand(7);
        for (int i = 0; i < n; i++) {
            for (int j = 0; j < n; j++)
                a[i * n + j] = rand() / (double)RAND_MAX - 0.5;
            b[i] = 1;
        }
        for (int k = 0; k < n; k++) {
            int best = k;
            for (int i = k + 1; i < n; i++)
                if (fabs(a[i * n + k]) > fabs(a[best * n + k]))
                    best = i;
            p[k] = best;
            if (best != k)
                for (int j = 0; j < n; j++) {
                    double t = a[k * n + j];
                    a[k * n + j] = a[best * n + j];
                    a[best * n + j] = t;
                }
            for (int i = k + 1; i < n; i++) {
                double f = a[i * n + k] /= a[k * n + k];
                for (int j = k + 1; j < n; j++)
                    a[i * n + j] -= f * a[k * n + j];
            }
        }
        for (int k = 0; k < n; k++) {
            double t = b[k];
            b[k] = b[p[k]];
            b[p[k]] = t;
        }
        for (int i = 0; i < n; i++)
            for (int j = 0; j < i; j++)
                b[i] -= a[i * n + j] * b[j];
        for (int i = n - 1; i >= 0; i--) {
            for (int j = i + 1; j < n; j++)
                b[i] -= a[i * n + j] * b[j];
            b[i] /= a[i * n + i];
        }
    }
    printf("%g\n", b[0]);
    free(a);
    free(b);
    free(p);
    return 0;
}
