/*
 * elements [N [STEPS]]: explicit finite elements on an unstructured mesh of about N^2
 * quadrilaterals, whose nodes are numbered at random within strips. In each step stresses are
 * gathered element by element into lists of memory from malloc, one per element with its
 * neighbours' mean, and freed.
 */
#include <math.h>

#include "tests/bench/unseen/code.h"

enum { CORNERS = 4, STRIP = 256 };

struct element {
    int node[CORNERS], neighbour[CORNERS]; /* -1 across the border */
    double stiffness, damage;
};

struct stress {
    double value[CORNERS], mean;
};

struct body {
    size_t nodes, elements;
    struct element *element;
    double *place, *velocity, *force, *mass;
};

/* Numbers that are shuffled among STRIP that follow each other. */
static int *shuffled(size_t count, uint64_t *random)
{
    int *order = code_malloc(count, sizeof *order);
    for (size_t i = 0; i < count; i++)
        order[i] = (int)i;
    for (size_t start = 0; start < count; start += STRIP) {
        size_t length = count - start < STRIP ? count - start : STRIP;
        for (size_t i = length; i > 1; i--) {
            size_t other = start + sample_random_below(random, i);
            int kept = order[start + i - 1];
            order[start + i - 1] = order[other];
            order[other] = kept;
        }
    }
    return order;
}

static struct body create(size_t n)
{
    size_t side = n + 1;
    struct body body = {side * side,
                        n * n,
                        code_malloc(n * n, sizeof *body.element),
                        code_calloc(side * side, sizeof(double)),
                        code_calloc(side * side, sizeof(double)),
                        code_calloc(side * side, sizeof(double)),
                        code_calloc(side * side, sizeof(double))};
    uint64_t random = 71;
    int *node = shuffled(body.nodes, &random), *number = shuffled(body.elements, &random);
    for (size_t e = 0; e < n * n; e++) {
        size_t i = e / n, j = e % n, corner = i * side + j;
        struct element *element = &body.element[number[e]];
        *element = (struct element){
            {node[corner], node[corner + 1], node[corner + side + 1], node[corner + side]},
            {i > 0 ? number[e - n] : -1, j + 1 < n ? number[e + 1] : -1,
             i + 1 < n ? number[e + n] : -1, j > 0 ? number[e - 1] : -1},
            1 + 0.1 * (double)(e % 5),
            0};
        for (int k = 0; k < CORNERS; k++)
            body.mass[element->node[k]] += 0.25;
    }
    for (size_t i = 0; i < body.nodes; i++)
        body.place[node[i]] = sin(6.28 * (double)(i % side) / (double)n);
    free(node);
    free(number);
    return body;
}

static struct stress *stress_of(const struct body *body, const struct element *element)
{
    struct stress *stress = code_malloc(1, sizeof *stress);
    double mean = 0;
    for (int k = 0; k < CORNERS; k++)
        mean += body->place[element->node[k]] / CORNERS;
    for (int k = 0; k < CORNERS; k++)
        stress->value[k] =
            element->stiffness * (1 - element->damage) * (mean - body->place[element->node[k]]);
    stress->mean = fabs(stress->value[0]) + fabs(stress->value[2]);
    return stress;
}

static void gather(struct body *body, struct stress **stress)
{
    for (size_t e = 0; e < body->elements; e++) {
        struct element *element = &body->element[e];
        double around = 0;
        for (int k = 0; k < CORNERS; k++) {
            body->force[element->node[k]] += stress[e]->value[k];
            if (element->neighbour[k] >= 0)
                around += stress[element->neighbour[k]]->mean;
        }
        if (stress[e]->mean > 0.05 && 4 * stress[e]->mean > 1.2 * around)
            element->damage = fmin(0.9, element->damage + 0.05);
    }
}

static void step(struct body *body, double seconds)
{
    struct stress **stress = code_malloc(body->elements, sizeof *stress);
    for (size_t e = 0; e < body->elements; e++)
        stress[e] = stress_of(body, &body->element[e]);
    gather(body, stress);
    for (size_t e = 0; e < body->elements; e++)
        free(stress[e]);
    free(stress);
    for (size_t i = 0; i < body->nodes; i++) {
        body->velocity[i] += seconds * body->force[i] / body->mass[i];
        body->place[i] += seconds * body->velocity[i];
        body->force[i] = 0;
    }
}

int main(int argc, char **argv)
{
    size_t n = sample_number(argc, argv, 1, 1, 80);
    size_t steps = sample_number(argc, argv, 2, 1, 6);
    struct body body = create(n);
    for (size_t s = 0; s < steps; s++)
        step(&body, 0.2);
    double energy = 0, damage = 0;
    for (size_t i = 0; i < body.nodes; i++)
        energy += 0.5 * body.mass[i] * body.velocity[i] * body.velocity[i];
    for (size_t e = 0; e < body.elements; e++)
        damage += body.element[e].damage;
    printf("elements: kinetic energy %.9f, damage %.2f\n", energy, damage);
    free(body.element);
    free(body.place);
    free(body.velocity);
    free(body.force);
    free(body.mass);
}
