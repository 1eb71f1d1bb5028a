/*
 * inverse [N [REPEATS]]: Gauss-Jordan inverse with an array of row pointers; checks A * A^-1.
 */
#include <stdio.h>
#include <stdlib.h>
int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 64, reps = argc > 2 ? atoi(argv[2]) : 1;
    float **a = malloc(n * sizeof *a), **b = malloc(n * sizeof *b), **c = malloc(n * sizeof *c);
    for (int i = 0; i < n; i++) {
        a[i] = malloc(n * sizeof **a);
        b[i] = malloc(n * sizeof **b);
        c[i] = malloc(n * sizeof **c);
    }
    float worst = 0;
    for (int r = 0; r < reps; r++) {
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++) {
                a[i][j] = c[i][j] = i == j ? n : 1.0f / (1 + i + j);
                b[i][j] = i == j;
            }
        for (int k = 0; k < n; k++) {
            float d = 1 / a[k][k];
            for (int j = 0; j < n; j++) {
                a[k][j] *= d;
                b[k][j] *= d;
            }
            for (int i = 0; i < n; i++) {
                if (i == k)
                    continue;
                float f = a[i][k];
                for (int j = 0; j < n; j++) {
                    a[i][j] -= f * a[k][j];
                    b[i][j] -= f * b[k][j];
                }
            }
        }
        for (int i = 0; i < n; i++) {
            float s = 0;
            for (int j = 0; j < n; j++)
                s += c[i][j] * b[j][i];
            worst = s > worst ? s : worst;
        }
    }
    printf("%g\n", worst);
    for (int i = 0; i < n; i++) {
        free(a[i]);
        free(b[i]);
        free(c[i]);
    }
    free(a);
    free(b);
    free(c);
    return 0;
}
