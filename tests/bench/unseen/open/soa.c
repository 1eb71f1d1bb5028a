/*
 * soa [N [REPEATS]]: the same drift and kick of bodies as an array of structures, and as a
 * structure of arrays.
 */
#include <stdio.h>
#include <stdlib.h>
struct body {
    double x, y, z, vx, vy, vz, mass;
    int id;
};
struct bodies {
    double *x, *y, *z, *vx, *vy, *vz, *mass;
};
int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 1000, reps = argc > 2 ? atoi(argv[2]) : 5;
    struct body *a = malloc(n * sizeof *a);
    struct bodies s;
    double **arrays[7] = {&s.x, &s.y, &s.z, &s.vx, &s.vy, &s.vz, &s.mass};
    for (int k = 0; k < 7; k++)
        *arrays[k] = malloc(n * sizeof(double));
    for (int i = 0; i < n; i++) {
        a[i] = (struct body){i, 2 * i, 3 * i, 1, 2, 3, 1 + i % 5, i};
        s.x[i] = i, s.y[i] = 2 * i, s.z[i] = 3 * i;
        s.vx[i] = 1, s.vy[i] = 2, s.vz[i] = 3, s.mass[i] = 1 + i % 5;
    }
    double energy = 0;
    for (int r = 0; r < reps; r++) {
        for (int i = 0; i < n; i++) {
            a[i].vx -= 1e-3 * a[i].x / a[i].mass;
            a[i].vy -= 1e-3 * a[i].y / a[i].mass;
            a[i].vz -= 1e-3 * a[i].z / a[i].mass;
        }
        for (int i = 0; i < n; i++) {
            a[i].x += a[i].vx;
            a[i].y += a[i].vy;
            a[i].z += a[i].vz;
        }
        for (int i = 0; i < n; i++) {
            s.vx[i] -= 1e-3 * s.x[i] / s.mass[i];
            s.vy[i] -= 1e-3 * s.y[i] / s.mass[i];
            s.vz[i] -= 1e-3 * s.z[i] / s.mass[i];
        }
        for (int i = 0; i < n; i++) {
            s.x[i] += s.vx[i];
            s.y[i] += s.vy[i];
            s.z[i] += s.vz[i];
        }
        for (int i = 0; i < n; i++)
            energy += a[i].mass * a[i].vx * a[i].vx + s.mass[i] * s.vx[i] * s.vx[i];
    }
    printf("%g\n", energy);
    return 0;
}
