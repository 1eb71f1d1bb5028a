/*
 * barneshut [BODIES [STEPS]]: gravity in a plane by Barnes & Hut's quadtree (1986), built again in
 * each step: what is far enough away pulls as one body.
 */
#include <math.h>

#include "tests/bench/unseen/code.h"

struct body {
    double x, y, vx, vy, ax, ay, mass;
};

struct cell {
    double x, y, mass; /* the centre of mass, times the mass until finish() */
    double middle_x, middle_y, half;
    struct cell *quarter[4];
    const struct body *body; /* of a cell with a single one */
};

static struct cell *create_cell(double middle_x, double middle_y, double half)
{
    struct cell *cell = code_calloc(1, sizeof *cell);
    cell->middle_x = middle_x;
    cell->middle_y = middle_y;
    cell->half = half;
    return cell;
}

static void destroy(struct cell *cell)
{
    if (!cell)
        return;
    for (int k = 0; k < 4; k++)
        destroy(cell->quarter[k]);
    free(cell);
}

static void insert(struct cell *cell, const struct body *body);

static void insert_below(struct cell *cell, const struct body *body)
{
    int right = body->x >= cell->middle_x, upper = body->y >= cell->middle_y;
    struct cell **quarter = &cell->quarter[2 * upper + right];
    if (!*quarter) {
        double half = cell->half / 2;
        *quarter = create_cell(cell->middle_x + (right ? half : -half),
                               cell->middle_y + (upper ? half : -half), half);
    }
    insert(*quarter, body);
}

static void insert(struct cell *cell, const struct body *body)
{
    int empty = cell->mass == 0;
    cell->mass += body->mass;
    cell->x += body->mass * body->x;
    cell->y += body->mass * body->y;
    if (empty) {
        cell->body = body;
        return;
    }
    if (cell->body && cell->half > 1e-9) {
        insert_below(cell, cell->body);
        cell->body = NULL;
    }
    if (!cell->body)
        insert_below(cell, body);
}

static void finish(struct cell *cell)
{
    cell->x /= cell->mass;
    cell->y /= cell->mass;
    for (int k = 0; k < 4; k++)
        if (cell->quarter[k])
            finish(cell->quarter[k]);
}

static void pull(struct body *body, const struct cell *cell)
{
    double dx = cell->x - body->x, dy = cell->y - body->y;
    double square = dx * dx + dy * dy + 1e-6;
    if (cell->body || 4 * cell->half * cell->half < 0.25 * square) {
        double factor = cell->mass / (square * sqrt(square));
        body->ax += factor * dx;
        body->ay += factor * dy;
        return;
    }
    for (int k = 0; k < 4; k++)
        if (cell->quarter[k])
            pull(body, cell->quarter[k]);
}

static void step(struct body *bodies, size_t count, double seconds)
{
    double half = 1;
    for (size_t i = 0; i < count; i++)
        half = fmax(half, fmax(fabs(bodies[i].x), fabs(bodies[i].y)));
    struct cell *root = create_cell(0, 0, half);
    for (size_t i = 0; i < count; i++)
        insert(root, &bodies[i]);
    finish(root);
    for (size_t i = 0; i < count; i++) {
        bodies[i].ax = bodies[i].ay = 0;
        pull(&bodies[i], root);
    }
    for (size_t i = 0; i < count; i++) {
        bodies[i].vx += seconds * bodies[i].ax;
        bodies[i].vy += seconds * bodies[i].ay;
        bodies[i].x += seconds * bodies[i].vx;
        bodies[i].y += seconds * bodies[i].vy;
    }
    destroy(root);
}

int main(int argc, char **argv)
{
    size_t count = sample_number(argc, argv, 1, 2, 4000);
    size_t steps = sample_number(argc, argv, 2, 1, 2);
    struct body *bodies = code_calloc(count, sizeof *bodies);
    uint64_t random = 29;
    for (size_t i = 0; i < count; i++) {
        bodies[i].x = 2 * code_uniform(&random) - 1;
        bodies[i].y = 2 * code_uniform(&random) - 1;
        bodies[i].mass = 1 / (double)count;
    }
    for (size_t s = 0; s < steps; s++)
        step(bodies, count, 0.01);
    double sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += fabs(bodies[i].vx) + fabs(bodies[i].vy);
    printf("barneshut: sum of speeds = %.9f\n", sum);
    free(bodies);
}
