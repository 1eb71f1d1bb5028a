/*
 * springs [MASSES [STEPS]]: a chain of masses and springs with a few long springs besides: each
 * pair of masses has one with a probability of 1e-5, so that all pairs are drawn when the chain is
 * made.
 */
#include "tests/bench/unseen/code.h"

struct link {
    uint32_t a, b;
    double stiffness;
};

struct links {
    size_t count, room;
    struct link *all;
};

static void add_link(struct links *links, size_t a, size_t b, double stiffness)
{
    if (links->count == links->room) {
        links->room = links->room ? 2 * links->room : 16;
        links->all = code_checked(realloc(links->all, links->room * sizeof *links->all),
                                  links->room, sizeof *links->all);
    }
    links->all[links->count++] = (struct link){(uint32_t)a, (uint32_t)b, stiffness};
}

static struct links draw_links(size_t masses)
{
    struct links links = {0};
    uint64_t random = 23;
    for (size_t a = 0; a < masses; a++)
        for (size_t b = a + 2; b < masses; b++)
            if (sample_random(&random) >> 32 < 42950) /* of 2^32 */
                add_link(&links, a, b, 0.1 + 0.01 * (double)(b % 7));
    return links;
}

static void step(double *restrict x, double *restrict v, double *restrict force, size_t masses,
                 const struct links *links, double seconds)
{
    force[0] = force[masses - 1] = 0;
    for (size_t i = 1; i < masses - 1; i++)
        force[i] = x[i - 1] - 2 * x[i] + x[i + 1];
    for (size_t k = 0; k < links->count; k++) {
        struct link link = links->all[k];
        double pull = link.stiffness * (x[link.b] - x[link.a]);
        force[link.a] += pull;
        force[link.b] -= pull;
    }
    for (size_t i = 0; i < masses; i++) {
        v[i] += seconds * force[i];
        x[i] += seconds * v[i];
    }
}

int main(int argc, char **argv)
{
    size_t masses = sample_number(argc, argv, 1, 3, 4000);
    size_t steps = sample_number(argc, argv, 2, 1, 50);
    struct links links = draw_links(masses);
    double *x = code_malloc(masses, sizeof *x), *v = code_calloc(masses, sizeof *v);
    double *force = code_malloc(masses, sizeof *force);
    for (size_t i = 0; i < masses; i++)
        x[i] = i % 100 < 10 ? 1.0 : 0.0;
    for (size_t s = 0; s < steps; s++)
        step(x, v, force, masses, &links, 0.1);
    double energy = 0;
    for (size_t i = 0; i < masses; i++)
        energy += 0.5 * v[i] * v[i];
    printf("springs: %zu long ones, kinetic energy = %.9f\n", links.count, energy);
    free(links.all);
    free(x);
    free(v);
    free(force);
}
