/*
 * molecules [ATOMS [STEPS]]: molecular dynamics of a Lennard-Jones fluid in a box at constant
 * density: atoms are sorted into cells as lists, pairs in neighbouring cells are added up, Verlet's
 * scheme moves the atoms.
 */
#include <math.h>

#include "tests/bench/unseen/code.h"

static const double cutoff = 2.5, density = 0.6;

struct fluid {
    size_t atoms;
    int cells; /* per side of the box */
    double side;
    double (*place)[3], (*velocity)[3], (*force)[3];
    int *head,
        *next; /* the first atom of a cell, and the one after each atom; -1 behind the last */
};

static struct fluid create(size_t atoms)
{
    struct fluid fluid = {.atoms = atoms, .side = cbrt((double)atoms / density)};
    fluid.cells = (int)fmax(3, floor(fluid.side / cutoff));
    size_t cells = (size_t)(fluid.cells * fluid.cells * fluid.cells);
    fluid.place = code_malloc(atoms, sizeof *fluid.place);
    fluid.velocity = code_malloc(atoms, sizeof *fluid.velocity);
    fluid.force = code_calloc(atoms, sizeof *fluid.force);
    fluid.head = code_malloc(cells, sizeof *fluid.head);
    fluid.next = code_malloc(atoms, sizeof *fluid.next);
    size_t per_side = (size_t)ceil(cbrt((double)atoms));
    double spacing = fluid.side / (double)per_side;
    uint64_t random = 89;
    for (size_t i = 0; i < atoms; i++) {
        size_t at[3] = {i % per_side, i / per_side % per_side, i / per_side / per_side};
        for (int d = 0; d < 3; d++) {
            fluid.place[i][d] = spacing * ((double)at[d] + 0.1 * code_uniform(&random));
            fluid.velocity[i][d] = code_uniform(&random) - 0.5;
        }
    }
    return fluid;
}

static int cell_of(const struct fluid *fluid, const double *place)
{
    int index = 0;
    for (int d = 0; d < 3; d++) {
        int at = (int)(place[d] / fluid->side * fluid->cells);
        index = index * fluid->cells + (at < fluid->cells ? at : fluid->cells - 1);
    }
    return index;
}

static void sort_into_cells(struct fluid *fluid)
{
    int cells = fluid->cells * fluid->cells * fluid->cells;
    for (int c = 0; c < cells; c++)
        fluid->head[c] = -1;
    for (size_t i = 0; i < fluid->atoms; i++) {
        int cell = cell_of(fluid, fluid->place[i]);
        fluid->next[i] = fluid->head[cell];
        fluid->head[cell] = (int)i;
    }
}

static void attract(struct fluid *fluid, int i, int j)
{
    double r[3], square = 0;
    for (int d = 0; d < 3; d++) {
        r[d] = fluid->place[i][d] - fluid->place[j][d];
        if (r[d] > fluid->side / 2)
            r[d] -= fluid->side;
        else if (r[d] < -fluid->side / 2)
            r[d] += fluid->side;
        square += r[d] * r[d];
    }
    if (square > cutoff * cutoff)
        return;
    double inverse = 1 / fmax(square, 0.5), sixth = inverse * inverse * inverse;
    double factor = 24 * inverse * sixth * (2 * sixth - 1);
    for (int d = 0; d < 3; d++) {
        fluid->force[i][d] += factor * r[d];
        fluid->force[j][d] -= factor * r[d];
    }
}

static void compute_forces(struct fluid *fluid)
{
    int m = fluid->cells;
    for (int cell = 0; cell < m * m * m; cell++) {
        int x = cell / m / m, y = cell / m % m, z = cell % m;
        for (int k = 0; k < 27; k++) {
            int other = (x + k / 9 - 1 + m) % m * m * m + (y + k / 3 % 3 - 1 + m) % m * m +
                        (z + k % 3 - 1 + m) % m;
            for (int i = fluid->head[cell]; i >= 0; i = fluid->next[i])
                for (int j = fluid->head[other]; j >= 0; j = fluid->next[j])
                    if (i < j)
                        attract(fluid, i, j);
        }
    }
}

static void move(struct fluid *fluid, double seconds)
{
    for (size_t i = 0; i < fluid->atoms; i++) {
        for (int d = 0; d < 3; d++) {
            fluid->velocity[i][d] += seconds * fluid->force[i][d];
            double place = fluid->place[i][d] + seconds * fluid->velocity[i][d];
            fluid->place[i][d] = place - fluid->side * floor(place / fluid->side);
            fluid->force[i][d] = 0;
        }
    }
}

int main(int argc, char **argv)
{
    size_t atoms = sample_number(argc, argv, 1, 1, 5000);
    size_t steps = sample_number(argc, argv, 2, 1, 2);
    struct fluid fluid = create(atoms);
    for (size_t s = 0; s < steps; s++) {
        sort_into_cells(&fluid);
        compute_forces(&fluid);
        move(&fluid, 0.001);
    }
    double energy = 0;
    for (size_t i = 0; i < atoms; i++)
        for (int d = 0; d < 3; d++)
            energy += 0.5 * fluid.velocity[i][d] * fluid.velocity[i][d];
    printf("molecules: kinetic energy per atom = %.9f\n", energy / (double)atoms);
    free(fluid.place);
    free(fluid.velocity);
    free(fluid.force);
    free(fluid.head);
    free(fluid.next);
}
