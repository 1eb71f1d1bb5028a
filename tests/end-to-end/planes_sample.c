/*
 * usage: planes_sample N
 *
 * Sweeps over boxes of N^3 numbers, as tables of tables of rows, which calloc clears; the heap
 * grows now and then as they are allocated. And N^2 cells, each filled as it is allocated, with a
 * table of its own.
 */
#include <stdio.h>

#include "samples/sample.h"

enum { TABLE = 20 };

struct cell {
    double mass, *table;
    struct cell *next;
};

static float ***box(size_t n)
{
    float ***planes = malloc(n * sizeof *planes);
    for (size_t i = 0; i < n; i++) {
        planes[i] = malloc(n * sizeof **planes);
        for (size_t j = 0; j < n; j++)
            planes[i][j] = calloc(n, sizeof ***planes);
    }
    return planes;
}

static float sweep(float ***from, float ***to, size_t n)
{
    for (size_t i = 1; i < n - 1; i++)
        for (size_t j = 1; j < n - 1; j++)
            for (size_t k = 1; k < n - 1; k++)
                to[i][j][k] = from[i - 1][j][k] + from[i + 1][j][k] + from[i][j - 1][k] +
                              from[i][j + 1][k] + from[i][j][k - 1] + from[i][j][k + 1];
    return to[n / 2][n / 2][n / 2];
}

static double cells(size_t n)
{
    struct cell *head = NULL;
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++) {
            struct cell *cell = malloc(sizeof *cell);
            cell->table = malloc(TABLE * sizeof *cell->table);
            cell->mass = (double)(i + j);
            for (size_t k = 0; k < TABLE; k++)
                cell->table[k] = cell->mass * (double)k;
            cell->next = head;
            head = cell;
        }
    for (struct cell *cell = head; cell; cell = cell->next)
        sum += cell->mass * cell->table[TABLE / 2];
    return sum;
}

int main(int argc, char **argv)
{
    const size_t n = sample_number(argc, argv, 1, 3, 20);
    float ***from = box(n), ***to = box(n), last = 0;
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++)
            for (size_t k = 0; k < n; k++)
                from[i][j][k] = (float)((i + j * k) % 5);
    for (unsigned step = 0; step < 3; step++)
        last = step % 2 ? sweep(to, from, n) : sweep(from, to, n);
    printf("planes_sample: %.6e %.6e\n", (double)last, cells(n));
}
