/*
 * tree [BODIES [STEPS]]: gravity of bodies in the unit square by a quad-tree (Barnes & Hut 1986).
 * Each cell keeps the first body that reached it; the others go on into its four quadrants.
 *
 * Accesses of the walk: 4 per visited cell (its stack entry, x, y and mass), 1 more where more than
 * one body is inside (side), and 6 more where it is opened (its own body's x and y, four children),
 * with 1 for each child that is put on the stack. The program prints how many cells were visited.
 */
#include <math.h>
#include <string.h>

#include "sample.h"

#define OPENING_SQUARED   0.49
#define SOFTENING_SQUARED 1e-6
#define DEPTH_MAX         24

struct body {
    double x, y, force_x, force_y;
};

struct cell {
    double mass;         /* bodies inside */
    double x, y;         /* their sum while the tree grows, then their centre */
    double own_x, own_y; /* the first body that came here */
    double side;
    uint32_t children[4]; /* 0: none; cell 0 is the root, which is no child */
};

struct tree {
    struct cell *cells; /* room for a cell a body: a body adds one at most */
    size_t count;
};

static uint32_t new_cell(struct tree *tree, double side)
{
    memset(&tree->cells[tree->count], 0, sizeof *tree->cells);
    tree->cells[tree->count].side = side;
    return (uint32_t)tree->count++;
}

/* Adds the body to every cell on its way down, which ends at a cell that is new. */
SAMPLE_KERNEL static void insert(struct tree *tree, const struct body *body)
{
    double low_x = 0, low_y = 0, side = 1;
    uint32_t at = 0;
    for (unsigned depth = 0; depth < DEPTH_MAX; depth++) { /* loop: tree_insert */
        struct cell *cell = &tree->cells[at];
        cell->mass += 1;
        cell->x += body->x;
        cell->y += body->y;
        if (cell->mass == 1) {
            cell->own_x = body->x;
            cell->own_y = body->y;
            return;
        }
        side /= 2;
        unsigned quadrant = 0;
        if (body->x >= low_x + side) {
            quadrant |= 1;
            low_x += side;
        }
        if (body->y >= low_y + side) {
            quadrant |= 2;
            low_y += side;
        }
        uint32_t child = cell->children[quadrant];
        if (!child) {
            child = new_cell(tree, side);
            tree->cells[at].children[quadrant] = child;
        }
        at = child;
    }
}

SAMPLE_KERNEL static void find_centres(struct tree *tree)
{
    for (size_t i = 0; i < tree->count; i++) { /* loop: tree_centres */
        tree->cells[i].x /= tree->cells[i].mass;
        tree->cells[i].y /= tree->cells[i].mass;
    }
}

/* Walks the tree with a stack of cells; gives the number of cells that were visited. */
SAMPLE_KERNEL static uint64_t find_force(const struct cell *cells, struct body *body)
{
    uint32_t stack[4 * DEPTH_MAX], height = 1;
    double force_x = 0, force_y = 0;
    uint64_t visited = 0;
    stack[0] = 0;
    while (height) { /* loop: tree_walk */
        const struct cell *cell = &cells[stack[--height]];
        double mass = cell->mass, dx = cell->x - body->x, dy = cell->y - body->y;
        double distance_squared = dx * dx + dy * dy + SOFTENING_SQUARED;
        visited++;
        if (mass > 1 && cell->side * cell->side > OPENING_SQUARED * distance_squared) {
            for (unsigned child = 0; child < 4; child++) /* loop: tree_open */
                if (cell->children[child])
                    stack[height++] = cell->children[child];
            mass = 1; /* what stays here is the cell's own body */
            dx = cell->own_x - body->x;
            dy = cell->own_y - body->y;
            distance_squared = dx * dx + dy * dy + SOFTENING_SQUARED;
        }
        double pull = mass / (distance_squared * sqrt(distance_squared));
        force_x += pull * dx;
        force_y += pull * dy;
    }
    body->force_x = force_x;
    body->force_y = force_y;
    return visited;
}

SAMPLE_KERNEL static void move(struct body *bodies, size_t count, double step)
{
    for (size_t i = 0; i < count; i++) { /* loop: tree_move */
        bodies[i].x = fmin(fmax(bodies[i].x + step * bodies[i].force_x, 0), 1);
        bodies[i].y = fmin(fmax(bodies[i].y + step * bodies[i].force_y, 0), 1);
    }
}

int main(int argc, char **argv)
{
    size_t count = sample_number(argc, argv, 1, 1, 20000);
    size_t steps = sample_number(argc, argv, 2, 1, 100);
    struct body *bodies = sample_array(count, sizeof *bodies);
    struct tree tree = {sample_array(count, sizeof(struct cell)), 0};
    uint64_t random = 1, visited = 0;
    for (size_t i = 0; i < count; i++) {
        bodies[i].x = (double)(sample_random(&random) >> 11) * 0x1p-53;
        bodies[i].y = (double)(sample_random(&random) >> 11) * 0x1p-53;
    }
    for (size_t step = 0; step < steps; step++) {
        tree.count = 0;
        new_cell(&tree, 1);
        for (size_t i = 0; i < count; i++)
            insert(&tree, &bodies[i]);
        find_centres(&tree);
        for (size_t i = 0; i < count; i++)
            visited += find_force(tree.cells, &bodies[i]);
        move(bodies, count, 1e-9);
    }
    printf("tree: %zu cells, %llu visited\n", tree.count, (unsigned long long)visited);
    free(bodies);
    free(tree.cells);
}
