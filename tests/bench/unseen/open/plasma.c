/*
 * plasma [N [STEPS]]: particles in cells in two dimensions: N x N cells with eight particles each,
 * which are sorted by their cells every fourth step; charge by bilinear weights, a field by some
 * sweeps of Jacobi's method, a push.
 */
#include <math.h>

#include "tests/bench/unseen/code.h"

enum { PER_CELL = 8, SORT_EVERY = 4, SWEEPS = 4 };

struct particle {
    float x, y, u, v;
};

struct plasma {
    size_t n, count;
    struct particle *particles, *sorted;
    size_t *start;
    float *charge, *potential, *next;
};

static size_t wrap(size_t i, size_t n)
{
    return i < n ? i : i - n;
}

static size_t cell_of(const struct plasma *plasma, const struct particle *p)
{
    return (size_t)p->y * plasma->n + (size_t)p->x;
}

static void sort(struct plasma *plasma)
{
    size_t cells = plasma->n * plasma->n;
    for (size_t c = 0; c <= cells; c++)
        plasma->start[c] = 0;
    for (size_t i = 0; i < plasma->count; i++)
        plasma->start[cell_of(plasma, &plasma->particles[i]) + 1]++;
    for (size_t c = 0; c < cells; c++)
        plasma->start[c + 1] += plasma->start[c];
    for (size_t i = 0; i < plasma->count; i++) {
        const struct particle *p = &plasma->particles[i];
        plasma->sorted[plasma->start[cell_of(plasma, p)]++] = *p;
    }
    struct particle *kept = plasma->particles;
    plasma->particles = plasma->sorted;
    plasma->sorted = kept;
}

static void deposit(struct plasma *plasma)
{
    size_t n = plasma->n;
    for (size_t c = 0; c < n * n; c++)
        plasma->charge[c] = -PER_CELL;
    for (size_t k = 0; k < plasma->count; k++) {
        const struct particle *p = &plasma->particles[k];
        size_t j = (size_t)p->x, i = (size_t)p->y;
        size_t right = wrap(j + 1, n), upper = wrap(i + 1, n);
        float x = p->x - (float)j, y = p->y - (float)i;
        plasma->charge[i * n + j] += (1 - x) * (1 - y);
        plasma->charge[i * n + right] += x * (1 - y);
        plasma->charge[upper * n + j] += (1 - x) * y;
        plasma->charge[upper * n + right] += x * y;
    }
}

static void solve(struct plasma *plasma)
{
    size_t n = plasma->n;
    for (int sweep = 0; sweep < SWEEPS; sweep++) {
        const float *u = plasma->potential;
        for (size_t i = 0; i < n; i++) {
            size_t above = wrap(i + 1, n) * n, below = wrap(i + n - 1, n) * n;
            for (size_t j = 0; j < n; j++)
                plasma->next[i * n + j] =
                    0.25f * (u[i * n + wrap(j + 1, n)] + u[i * n + wrap(j + n - 1, n)] +
                             u[above + j] + u[below + j] + plasma->charge[i * n + j]);
        }
        float *kept = plasma->potential;
        plasma->potential = plasma->next;
        plasma->next = kept;
    }
}

static void push(struct plasma *plasma, float seconds)
{
    size_t n = plasma->n;
    float side = (float)n;
    const float *u = plasma->potential;
    for (size_t k = 0; k < plasma->count; k++) {
        struct particle *p = &plasma->particles[k];
        size_t j = (size_t)p->x, i = (size_t)p->y;
        p->u += seconds * (u[i * n + j] - u[i * n + wrap(j + 1, n)]);
        p->v += seconds * (u[i * n + j] - u[wrap(i + 1, n) * n + j]);
        p->x += seconds * p->u;
        p->y += seconds * p->v;
        p->x -= side * floorf(p->x / side);
        p->y -= side * floorf(p->y / side);
        p->x = p->x < side ? p->x : 0; /* a small negative number rounds up to the side */
        p->y = p->y < side ? p->y : 0;
    }
}

int main(int argc, char **argv)
{
    size_t n = sample_number(argc, argv, 1, 1, 64);
    size_t steps = sample_number(argc, argv, 2, 1, 5);
    size_t cells = n * n, count = PER_CELL * cells;
    struct plasma plasma = {.n = n, .count = count};
    plasma.particles = code_malloc(count, sizeof *plasma.particles);
    plasma.sorted = code_malloc(count, sizeof *plasma.sorted);
    plasma.start = code_malloc(cells + 1, sizeof *plasma.start);
    plasma.charge = code_calloc(cells, sizeof(float));
    plasma.potential = code_calloc(cells, sizeof(float));
    plasma.next = code_calloc(cells, sizeof(float));
    uint64_t random = 113;
    for (size_t k = 0; k < count; k++)
        plasma.particles[k] = (struct particle){(float)n * 0.999f * (float)code_uniform(&random),
                                                (float)n * 0.999f * (float)code_uniform(&random),
                                                (float)code_uniform(&random) - 0.5f,
                                                (float)code_uniform(&random) - 0.5f};
    for (size_t s = 0; s < steps; s++) {
        if (s % SORT_EVERY == 0)
            sort(&plasma);
        deposit(&plasma);
        solve(&plasma);
        push(&plasma, 0.1f);
    }
    double energy = 0;
    for (size_t k = 0; k < count; k++)
        energy += plasma.particles[k].u * plasma.particles[k].u;
    printf("plasma: energy per particle = %.6f\n", energy / (double)count);
    free(plasma.particles);
    free(plasma.sorted);
    free(plasma.start);
    free(plasma.charge);
    free(plasma.potential);
    free(plasma.next);
}
