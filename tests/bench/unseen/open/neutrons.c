/*
 * neutrons [POINTS [LOOKUPS]]: macroscopic cross sections of a fuel with 12 nuclides of POINTS
 * energies each, in the manner of XSBench (Tramm et al. 2014): a search in the unionised grid of
 * all energies, from where each nuclide's own interval is known.
 */
#include "tests/bench/unseen/code.h"

enum { NUCLIDES = 12, REACTIONS = 5 };

struct point {
    double energy, section[REACTIONS];
};

struct union_point {
    double energy;
    int index[NUCLIDES];
};

static int compare_energies(const void *left, const void *right)
{
    double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

static struct point *draw_nuclides(size_t points, uint64_t *random)
{
    struct point *grid = code_malloc(NUCLIDES * points, sizeof *grid);
    for (size_t i = 0; i < NUCLIDES * points; i++) {
        grid[i].energy = code_uniform(random);
        for (int r = 0; r < REACTIONS; r++)
            grid[i].section[r] = code_uniform(random);
    }
    for (size_t n = 0; n < NUCLIDES; n++)
        qsort(grid + n * points, points, sizeof *grid, compare_energies);
    return grid;
}

static struct union_point *unite(const struct point *grid, size_t points)
{
    size_t count = NUCLIDES * points;
    struct union_point *all = code_malloc(count, sizeof *all);
    for (size_t i = 0; i < count; i++)
        all[i].energy = grid[i].energy;
    qsort(all, count, sizeof *all, compare_energies);
    size_t at[NUCLIDES] = {0};
    for (size_t i = 0; i < count; i++) {
        for (size_t n = 0; n < NUCLIDES; n++) {
            while (at[n] + 2 < points && grid[n * points + at[n] + 1].energy <= all[i].energy)
                at[n]++;
            all[i].index[n] = (int)at[n];
        }
    }
    return all;
}

static size_t search(const struct union_point *all, size_t count, double energy)
{
    size_t low = 0, length = count;
    while (length > 1) {
        size_t half = length / 2;
        if (all[low + half].energy <= energy)
            low += half;
        length -= half;
    }
    return low;
}

static void look_up(const struct point *grid, size_t points, const struct union_point *all,
                    double energy, const double *density, double *macroscopic)
{
    const struct union_point *found = &all[search(all, NUCLIDES * points, energy)];
    for (size_t n = 0; n < NUCLIDES; n++) {
        const struct point *low = &grid[n * points + (size_t)found->index[n]], *high = low + 1;
        double part = (high->energy - energy) / (high->energy - low->energy);
        for (int r = 0; r < REACTIONS; r++)
            macroscopic[r] +=
                density[n] * (high->section[r] - part * (high->section[r] - low->section[r]));
    }
}

int main(int argc, char **argv)
{
    size_t points = sample_number(argc, argv, 1, 2, 2000);
    size_t lookups = sample_number(argc, argv, 2, 1, 20000);
    uint64_t random = 37;
    struct point *grid = draw_nuclides(points, &random);
    struct union_point *all = unite(grid, points);
    double density[NUCLIDES], sum = 0;
    for (int n = 0; n < NUCLIDES; n++)
        density[n] = 1 + code_uniform(&random);
    for (size_t k = 0; k < lookups; k++) {
        double macroscopic[REACTIONS] = {0};
        look_up(grid, points, all, code_uniform(&random), density, macroscopic);
        sum += macroscopic[k % REACTIONS];
    }
    printf("neutrons: mean cross section = %.6e\n", sum / (double)lookups);
    free(grid);
    free(all);
}
