/*
 * lookup [POINTS [REPETITIONS]]: an equation of state from a table: pressure and sound speed at
 * given densities, by binary search in sorted densities and linear interpolation. A finer table has
 * more points; as many cells of the mesh ask as the table has points.
 */
#include <math.h>

#include "tests/bench/unseen/code.h"

struct table {
    size_t count;
    double *density, *pressure, *sound;
};

static struct table create(size_t count, uint64_t *random)
{
    struct table table = {count, code_malloc(count, sizeof(double)),
                          code_malloc(count, sizeof(double)), code_malloc(count, sizeof(double))};
    double density = 0.01;
    for (size_t i = 0; i < count; i++) {
        table.density[i] = density;
        table.pressure[i] = 0.4 * pow(density, 1.4);
        table.sound[i] = sqrt(1.4 * table.pressure[i] / density);
        density += 0.5 + code_uniform(random);
    }
    return table;
}

/* The interval that holds a density: the largest index that is not above it, the last but one. */
static size_t search(const struct table *table, double density)
{
    size_t low = 0, high = table->count - 1;
    while (high - low > 1) {
        size_t middle = (low + high) / 2;
        if (table->density[middle] <= density)
            low = middle;
        else
            high = middle;
    }
    return low;
}

static void evaluate(const struct table *table, const double *density, double *pressure,
                     double *sound, size_t cells)
{
    for (size_t c = 0; c < cells; c++) {
        size_t i = search(table, density[c]);
        double part =
            (density[c] - table->density[i]) / (table->density[i + 1] - table->density[i]);
        pressure[c] = table->pressure[i] + part * (table->pressure[i + 1] - table->pressure[i]);
        sound[c] = table->sound[i] + part * (table->sound[i + 1] - table->sound[i]);
    }
}

int main(int argc, char **argv)
{
    size_t points = sample_number(argc, argv, 1, 2, 50000);
    size_t repetitions = sample_number(argc, argv, 2, 1, 3);
    uint64_t random = 7;
    struct table table = create(points, &random);
    size_t cells = points;
    double *density = code_malloc(cells, sizeof *density);
    double *pressure = code_calloc(cells, sizeof *pressure);
    double *sound = code_calloc(cells, sizeof *sound);
    double largest = table.density[points - 1];
    double fastest = 0;
    for (size_t r = 0; r < repetitions; r++) {
        for (size_t c = 0; c < cells; c++)
            density[c] = 0.01 + largest * code_uniform(&random);
        evaluate(&table, density, pressure, sound, cells);
        for (size_t c = 0; c < cells; c++)
            fastest = fmax(fastest, sound[c] + 1e-6 * pressure[c]);
    }
    printf("lookup: fastest = %.6e\n", fastest);
    free(table.density);
    free(table.pressure);
    free(table.sound);
    free(density);
    free(pressure);
    free(sound);
}
