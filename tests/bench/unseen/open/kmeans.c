/*
 * kmeans [N [REPEATS]]: K-means clustering of points in six dimensions.
 */
#include <stdio.h>
#include <stdlib.h>
#define K 12
#define D 6
int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 1000, reps = argc > 2 ? atoi(argv[2]) : 3;
    double *x = malloc(sizeof(double) * n * D), *c = malloc(sizeof(double) * K * D);
    double *sum = malloc(sizeof(double) * K * D);
    int *label = malloc(sizeof(int) * n), count[K];
    srand(1);
    for (int i = 0; i < n * D; i++)
        x[i] = rand() / (double)RAND_MAX;
    for (int i = 0; i < K * D; i++)
        c[i] = x[i];
    double inertia = 0;
    for (int r = 0; r < reps; r++) {
        inertia = 0;
        for (int i = 0; i < n; i++) {
            double best = 1e30;
            for (int k = 0; k < K; k++) {
                double d = 0;
                for (int j = 0; j < D; j++) {
                    double t = x[i * D + j] - c[k * D + j];
                    d += t * t;
                }
                if (d < best) {
                    best = d;
                    label[i] = k;
                }
            }
            inertia += best;
        }
        for (int k = 0; k < K; k++) {
            count[k] = 0;
            for (int j = 0; j < D; j++)
                sum[k * D + j] = 0;
        }
        for (int i = 0; i < n; i++) {
            count[label[i]]++;
            for (int j = 0; j < D; j++)
                sum[label[i] * D + j] += x[i * D + j];
        }
        for (int k = 0; k < K; k++)
            for (int j = 0; j < D; j++)
                if (count[k])
                    c[k * D + j] = sum[k * D + j] / count[k];
    }
    printf("%g\n", inertia);
    return 0;
}
