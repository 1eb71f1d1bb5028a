/*
 * pic [PARTICLES [STEPS]]: the two-stream instability in one dimension by particles in cells, 20 of
 * them in each: charge is spread over the two nearest points, the field follows by integration,
 * and accelerates the particles.
 */
#include <math.h>

#include "tests/bench/unseen/code.h"

enum { PER_CELL = 20 };

struct plasma {
    size_t particles, cells;
    double *x, *v;          /* of particles; places in cells */
    double *charge, *field; /* of points */
};

static void load(struct plasma *plasma)
{
    uint64_t random = 59;
    double cells = (double)plasma->cells;
    for (size_t i = 0; i < plasma->particles; i++) {
        plasma->x[i] = cells * code_uniform(&random);
        plasma->v[i] = (i % 2 ? 0.5 : -0.5) + 0.01 * code_uniform(&random);
    }
}

static void deposit(struct plasma *plasma)
{
    for (size_t c = 0; c < plasma->cells; c++)
        plasma->charge[c] = PER_CELL;
    for (size_t i = 0; i < plasma->particles; i++) {
        size_t cell = (size_t)plasma->x[i];
        size_t next = cell + 1 < plasma->cells ? cell + 1 : 0;
        double part = plasma->x[i] - (double)cell;
        plasma->charge[cell] -= 1 - part;
        plasma->charge[next] -= part;
    }
}

/* The field whose divergence is the charge, and whose mean is zero. */
static void solve(struct plasma *plasma)
{
    double sum = 0, mean = 0;
    for (size_t c = 0; c < plasma->cells; c++) {
        sum += plasma->charge[c] / PER_CELL;
        plasma->field[c] = sum;
        mean += sum;
    }
    mean /= (double)plasma->cells;
    for (size_t c = 0; c < plasma->cells; c++)
        plasma->field[c] -= mean;
}

static void push(struct plasma *plasma, double seconds)
{
    double cells = (double)plasma->cells;
    for (size_t i = 0; i < plasma->particles; i++) {
        size_t cell = (size_t)plasma->x[i];
        size_t next = cell + 1 < plasma->cells ? cell + 1 : 0;
        double part = plasma->x[i] - (double)cell;
        plasma->v[i] -= seconds * ((1 - part) * plasma->field[cell] + part * plasma->field[next]);
        double x = plasma->x[i] + seconds * plasma->v[i];
        if (x < 0)
            x += cells;
        plasma->x[i] = x >= cells ? x - cells : x;
    }
}

int main(int argc, char **argv)
{
    size_t particles = sample_number(argc, argv, 1, PER_CELL, 40000);
    size_t steps = sample_number(argc, argv, 2, 1, 10);
    size_t cells = particles / PER_CELL;
    struct plasma plasma = {particles,
                            cells,
                            code_malloc(particles, sizeof(double)),
                            code_malloc(particles, sizeof(double)),
                            code_malloc(cells, sizeof(double)),
                            code_malloc(cells, sizeof(double))};
    load(&plasma);
    for (size_t s = 0; s < steps; s++) {
        deposit(&plasma);
        solve(&plasma);
        push(&plasma, 0.1);
    }
    double energy = 0;
    for (size_t c = 0; c < cells; c++)
        energy += plasma.field[c] * plasma.field[c];
    printf("pic: energy of the field = %.9e\n", energy);
    free(plasma.x);
    free(plasma.v);
    free(plasma.charge);
    free(plasma.field);
}
