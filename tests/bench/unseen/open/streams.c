/*
 * streams [PARTICLES [STEPS]]: particles in a magnetic bottle, an array for each coordinate of
 * places, velocities and fields: nine streams, each from the start of a 64 KiB segment of memory.
 */
#include "tests/bench/unseen/code.h"

enum { ARRAYS = 9, SEGMENT_BYTES = 65536 };

struct particles {
    size_t count;
    double *x, *y, *z, *u, *v, *w, *bx, *by, *bz;
};

static double *segment_array(size_t count)
{
    size_t bytes = (count * sizeof(double) + SEGMENT_BYTES - 1) / SEGMENT_BYTES * SEGMENT_BYTES;
    return code_checked(aligned_alloc(SEGMENT_BYTES, bytes), bytes, 1);
}

static void place(struct particles *p)
{
    uint64_t random = 47;
    for (size_t i = 0; i < p->count; i++) {
        p->x[i] = code_uniform(&random);
        p->y[i] = code_uniform(&random);
        p->z[i] = code_uniform(&random);
        p->u[i] = p->v[i] = 0;
        p->w[i] = 1;
    }
}

static void evaluate_field(struct particles *restrict p)
{
    for (size_t i = 0; i < p->count; i++) {
        p->bx[i] = -0.5 * p->x[i] * p->z[i];
        p->by[i] = -0.5 * p->y[i] * p->z[i];
        p->bz[i] = 1 + 0.5 * p->z[i] * p->z[i];
    }
}

static void accelerate(struct particles *restrict p, double seconds)
{
    for (size_t i = 0; i < p->count; i++) {
        double u = p->u[i], v = p->v[i], w = p->w[i];
        p->u[i] = u + seconds * (v * p->bz[i] - w * p->by[i]);
        p->v[i] = v + seconds * (w * p->bx[i] - u * p->bz[i]);
        p->w[i] = w + seconds * (u * p->by[i] - v * p->bx[i]);
    }
}

static void drift(struct particles *restrict p, double seconds)
{
    for (size_t i = 0; i < p->count; i++) {
        p->x[i] += seconds * p->u[i];
        p->y[i] += seconds * p->v[i];
        p->z[i] += seconds * p->w[i];
    }
}

int main(int argc, char **argv)
{
    size_t count = sample_number(argc, argv, 1, 1, 50000);
    size_t steps = sample_number(argc, argv, 2, 1, 10);
    struct particles p = {.count = count};
    double **arrays[ARRAYS] = {&p.x, &p.y, &p.z, &p.u, &p.v, &p.w, &p.bx, &p.by, &p.bz};
    for (int k = 0; k < ARRAYS; k++)
        *arrays[k] = segment_array(count);
    place(&p);
    for (size_t s = 0; s < steps; s++) {
        evaluate_field(&p);
        accelerate(&p, 0.01);
        drift(&p, 0.01);
    }
    double sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += p.x[i] + p.y[i] + p.z[i];
    printf("streams: sum of places = %.6e\n", sum);
    for (int k = 0; k < ARRAYS; k++)
        free(*arrays[k]);
}
