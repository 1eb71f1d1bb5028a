/*
 * particlemesh [N [REPEATS]]: particle-mesh: cloud-in-cell deposit, Jacobi sweeps for the
 * potential, gather, push.
 */
#include <stdio.h>
#include <stdlib.h>
int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 32, reps = argc > 2 ? atoi(argv[2]) : 2;
    int particles = 4 * n * n;
    double *rho = malloc(sizeof(double) * n * n), *phi = calloc(n * n, sizeof(double)),
           *old = calloc(n * n, sizeof(double));
    double *x = malloc(particles * sizeof(double)), *y = malloc(particles * sizeof(double)),
           *vx = calloc(particles, sizeof(double)), *vy = calloc(particles, sizeof(double));
    srand(3);
    for (int p = 0; p < particles; p++) {
        x[p] = rand() / (RAND_MAX + 1.0) * (n - 3) + 1;
        y[p] = rand() / (RAND_MAX + 1.0) * (n - 3) + 1;
    }
    for (int r = 0; r < reps; r++) {
        for (int i = 0; i < n * n; i++)
            rho[i] = 0;
        for (int p = 0; p < particles; p++) {
            int i = x[p], j = y[p];
            double a = x[p] - i, b = y[p] - j;
            rho[i * n + j] += (1 - a) * (1 - b);
            rho[i * n + j + 1] += (1 - a) * b;
            rho[(i + 1) * n + j] += a * (1 - b);
            rho[(i + 1) * n + j + 1] += a * b;
        }
        for (int sweep = 0; sweep < 10; sweep++) {
            for (int i = 1; i < n - 1; i++)
                for (int j = 1; j < n - 1; j++)
                    phi[i * n + j] =
                        0.25 * (old[(i - 1) * n + j] + old[(i + 1) * n + j] + old[i * n + j - 1] +
                                old[i * n + j + 1] + rho[i * n + j]);
            double *t = phi;
            phi = old;
            old = t;
        }
        for (int p = 0; p < particles; p++) {
            int i = x[p], j = y[p];
            vx[p] += 1e-4 * (old[(i - 1) * n + j] - old[(i + 1) * n + j]);
            vy[p] += 1e-4 * (old[i * n + j - 1] - old[i * n + j + 1]);
            x[p] += vx[p];
            y[p] += vy[p];
            if (x[p] < 1 || x[p] > n - 2)
                x[p] = n / 2, vx[p] = 0;
            if (y[p] < 1 || y[p] > n - 2)
                y[p] = n / 2, vy[p] = 0;
        }
    }
    printf("%g\n", old[n * n / 2]);
    return 0;
}
