/*
 * fluid [PARTICLES [STEPS]]: smoothed particles in a plane (Monaghan 1992): particles are sorted
 * into cells by counting, density and forces come from those in nine cells.
 */
#include <math.h>

#include "tests/bench/unseen/code.h"

struct particle {
    float x, y, u, v, density, pad;
};

struct fluid {
    size_t count;
    int cells; /* per side */
    struct particle *particles, *sorted;
    int *first;
};

static int cell_of(const struct fluid *f, const struct particle *p)
{
    int i = (int)(p->x * (float)f->cells), j = (int)(p->y * (float)f->cells);
    return (j < 0           ? 0
            : j >= f->cells ? f->cells - 1
                            : j) *
               f->cells +
           (i < 0           ? 0
            : i >= f->cells ? f->cells - 1
                            : i);
}

static void sort(struct fluid *f)
{
    int all = f->cells * f->cells;
    for (int c = 0; c <= all; c++)
        f->first[c] = 0;
    for (size_t p = 0; p < f->count; p++)
        f->first[cell_of(f, &f->particles[p]) + 1]++;
    for (int c = 0; c < all; c++)
        f->first[c + 1] += f->first[c];
    for (size_t p = f->count; p-- > 0;)
        f->sorted[--f->first[cell_of(f, &f->particles[p]) + 1]] = f->particles[p];
    for (int c = 0; c < all; c++)
        f->first[c] = f->first[c + 1];
    f->first[all] = (int)f->count;
    struct particle *kept = f->particles;
    f->particles = f->sorted;
    f->sorted = kept;
}

static void interact(struct fluid *f, struct particle *p, int is_force)
{
    float radius = 1.0f / (float)f->cells, sum = 0, push_x = 0, push_y = 0;
    int cell = cell_of(f, p), i = cell % f->cells, j = cell / f->cells;
    for (int y = j > 0 ? j - 1 : 0; y <= j + 1 && y < f->cells; y++)
        for (int x = i > 0 ? i - 1 : 0; x <= i + 1 && x < f->cells; x++)
            for (int k = f->first[y * f->cells + x]; k < f->first[y * f->cells + x + 1]; k++) {
                const struct particle *q = &f->particles[k];
                float dx = p->x - q->x, dy = p->y - q->y, d = dx * dx + dy * dy;
                if (d >= radius * radius)
                    continue;
                float weight = 1 - d / (radius * radius);
                sum += weight;
                push_x += weight * dx / (q->density + 1);
                push_y += weight * dy / (q->density + 1);
            }
    if (is_force) {
        p->u += 0.01f * push_x;
        p->v += 0.01f * push_y;
    } else {
        p->density = sum;
    }
}

int main(int argc, char **argv)
{
    size_t count = sample_number(argc, argv, 1, 8, 4000),
           steps = sample_number(argc, argv, 2, 1, 2);
    int cells = (int)sqrt((double)count / 6);
    cells = cells < 1 ? 1 : cells;
    struct fluid f = {count, cells, code_calloc(count, sizeof *f.particles),
                      code_calloc(count, sizeof *f.sorted),
                      code_malloc((size_t)(cells * cells) + 1, sizeof(int))};
    uint64_t random = 1992;
    double sum = 0;
    for (size_t p = 0; p < count; p++) {
        f.particles[p].x = (float)code_uniform(&random);
        f.particles[p].y = (float)code_uniform(&random);
    }
    for (size_t s = 0; s < steps; s++) {
        sort(&f);
        for (int is_force = 0; is_force < 2; is_force++)
            for (size_t p = 0; p < count; p++)
                interact(&f, &f.particles[p], is_force);
        for (size_t p = 0; p < count; p++) {
            f.particles[p].x += f.particles[p].u;
            f.particles[p].y += f.particles[p].v;
        }
    }
    for (size_t p = 0; p < count; p++)
        sum += (double)f.particles[p].density;
    printf("fluid: %.6e\n", sum);
    free(f.particles);
    free(f.sorted);
    free(f.first);
}
