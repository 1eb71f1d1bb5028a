/*
 * lattice [N [STEPS]]: a lattice gas by Boltzmann's equation in two dimensions with nine velocities
 * (Qian et al. 1992): each velocity has a field of its own, which starts a page-aligned 1 MiB
 * segment of one arena.
 */
#include "tests/bench/unseen/code.h"

enum { VELOCITIES = 9, SEGMENT_BYTES = 1 << 20 };

static const int step_x[VELOCITIES] = {0, 1, 0, -1, 0, 1, -1, -1, 1};
static const int step_y[VELOCITIES] = {0, 0, 1, 0, -1, 1, 1, -1, -1};
static const double weight[VELOCITIES] = {4.0 / 9,  1.0 / 9,  1.0 / 9,  1.0 / 9, 1.0 / 9,
                                          1.0 / 36, 1.0 / 36, 1.0 / 36, 1.0 / 36};

struct gas {
    size_t n;
    double *arena, *f[VELOCITIES], *moved[VELOCITIES];
};

static struct gas create(size_t n)
{
    struct gas gas = {.n = n};
    size_t field = (n * n * sizeof(double) + SEGMENT_BYTES - 1) / SEGMENT_BYTES * SEGMENT_BYTES;
    size_t bytes = 2 * VELOCITIES * field;
    gas.arena = code_checked(aligned_alloc(4096, bytes), bytes, 1);
    for (size_t q = 0; q < VELOCITIES; q++) {
        gas.f[q] = gas.arena + q * field / sizeof(double);
        gas.moved[q] = gas.f[q] + VELOCITIES * field / sizeof(double);
        for (size_t p = 0; p < n * n; p++)
            gas.f[q][p] = weight[q] * (1 + 0.01 * (double)(p % 13));
    }
    return gas;
}

static void collide(struct gas *gas)
{
    for (size_t p = 0; p < gas->n * gas->n; p++) {
        double density = 0, u = 0, v = 0;
        for (int q = 0; q < VELOCITIES; q++) {
            double f = gas->f[q][p];
            density += f;
            u += step_x[q] * f;
            v += step_y[q] * f;
        }
        u /= density;
        v /= density;
        for (int q = 0; q < VELOCITIES; q++) {
            double along = 3 * (step_x[q] * u + step_y[q] * v);
            double balance =
                weight[q] * density * (1 + along + along * along / 2 - 1.5 * (u * u + v * v));
            gas->f[q][p] += 0.6 * (balance - gas->f[q][p]);
        }
    }
}

/* Each velocity's field moves on by a point, round a torus. */
static void stream(struct gas *gas)
{
    size_t n = gas->n;
    for (int q = 0; q < VELOCITIES; q++) {
        for (size_t i = 0; i < n; i++) {
            size_t to = (i + n + (size_t)step_y[q]) % n * n;
            for (size_t j = 0; j < n; j++) {
                size_t column = j + (size_t)step_x[q];
                column = column == n ? 0 : column > n ? n - 1 : column;
                gas->moved[q][to + column] = gas->f[q][i * n + j];
            }
        }
        double *kept = gas->f[q];
        gas->f[q] = gas->moved[q];
        gas->moved[q] = kept;
    }
}

int main(int argc, char **argv)
{
    size_t n = sample_number(argc, argv, 1, 2, 128);
    size_t steps = sample_number(argc, argv, 2, 1, 4);
    struct gas gas = create(n);
    for (size_t s = 0; s < steps; s++) {
        collide(&gas);
        stream(&gas);
    }
    double energy = 0;
    for (size_t p = 0; p < n * n; p++)
        energy += gas.f[1][p] * gas.f[3][p];
    printf("lattice: checksum %.9f\n", energy);
    free(gas.arena);
}
