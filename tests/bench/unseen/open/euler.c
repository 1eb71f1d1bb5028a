/*
 * euler [N [STEPS]]: a gas in a box of N x N cells by finite volumes: fluxes of Harten, Lax & van
 * Leer (1983) between neighbours, first along the rows, then along the columns, and the largest
 * time step that the waves allow. Two layers of cells around the box reflect.
 */
#include <math.h>

#include "tests/bench/unseen/code.h"

enum { FIELDS = 4, LAYERS = 2 };

static const double gas_gamma = 1.4;

struct box {
    size_t cells, stride;
    double *density, *momentum_x, *momentum_y, *energy;
};

struct state {
    double density, along, across, energy;
};

static double pressure(struct state s)
{
    double kinetic = 0.5 * (s.along * s.along + s.across * s.across) / s.density;
    return (gas_gamma - 1) * (s.energy - kinetic);
}

static double sound(struct state s)
{
    return sqrt(gas_gamma * pressure(s) / s.density);
}

static struct state flux_of(struct state s)
{
    double speed = s.along / s.density, p = pressure(s);
    return (struct state){s.along, s.along * speed + p, s.across * speed, (s.energy + p) * speed};
}

static double mixed(double left, double right, double flux_left, double flux_right, double slow,
                    double fast)
{
    return (fast * flux_left - slow * flux_right + fast * slow * (right - left)) / (fast - slow);
}

static struct state between(struct state l, struct state r)
{
    double slow = fmin(l.along / l.density - sound(l), r.along / r.density - sound(r));
    double fast = fmax(l.along / l.density + sound(l), r.along / r.density + sound(r));
    struct state fl = flux_of(l), fr = flux_of(r);
    if (slow >= 0)
        return fl;
    if (fast <= 0)
        return fr;
    return (struct state){mixed(l.density, r.density, fl.density, fr.density, slow, fast),
                          mixed(l.along, r.along, fl.along, fr.along, slow, fast),
                          mixed(l.across, r.across, fl.across, fr.across, slow, fast),
                          mixed(l.energy, r.energy, fl.energy, fr.energy, slow, fast)};
}

static void reflect(struct box *b)
{
    size_t n = b->cells, w = b->stride;
    double *fields[FIELDS] = {b->density, b->momentum_x, b->momentum_y, b->energy};
    for (int f = 0; f < FIELDS; f++) {
        for (size_t layer = 0; layer < LAYERS; layer++) {
            size_t low = LAYERS - 1 - layer, high = n + LAYERS + layer;
            size_t low_from = LAYERS + layer, high_from = n + LAYERS - 1 - layer;
            for (size_t i = 0; i < w; i++) {
                double *u = fields[f];
                u[low * w + i] = f == 2 ? -u[low_from * w + i] : u[low_from * w + i];
                u[high * w + i] = f == 2 ? -u[high_from * w + i] : u[high_from * w + i];
                u[i * w + low] = f == 1 ? -u[i * w + low_from] : u[i * w + low_from];
                u[i * w + high] = f == 1 ? -u[i * w + high_from] : u[i * w + high_from];
            }
        }
    }
}

static double allowed_step(const struct box *b)
{
    double fastest = 0;
    for (size_t j = LAYERS; j < b->cells + LAYERS; j++) {
        for (size_t i = LAYERS; i < b->cells + LAYERS; i++) {
            size_t c = j * b->stride + i;
            struct state s = {b->density[c], b->momentum_x[c], b->momentum_y[c], b->energy[c]};
            double along = fabs(s.along / s.density), across = fabs(s.across / s.density);
            fastest = fmax(fastest, fmax(along, across) + sound(s));
        }
    }
    return 0.4 / fastest;
}

/* One line of cells, count of them, from first on with the given distance from each to the next. */
static void sweep(struct box *b, double *along, double *across, size_t first, size_t distance,
                  double step)
{
    struct state left = {b->density[first], along[first], across[first], b->energy[first]};
    struct state in = {0, 0, 0, 0};
    for (size_t i = 1; i <= b->cells + 1; i++) {
        size_t c = first + i * distance;
        struct state right = {b->density[c], along[c], across[c], b->energy[c]};
        struct state out = between(left, right);
        if (i > 1) {
            size_t own = c - distance;
            b->density[own] += step * (in.density - out.density);
            along[own] += step * (in.along - out.along);
            across[own] += step * (in.across - out.across);
            b->energy[own] += step * (in.energy - out.energy);
        }
        in = out;
        left = right;
    }
}

static void fill(struct box *b)
{
    size_t n = b->cells;
    for (size_t j = LAYERS; j < n + LAYERS; j++) {
        for (size_t i = LAYERS; i < n + LAYERS; i++) {
            int is_hot = i + j < n / 2 + 2 * LAYERS;
            size_t c = j * b->stride + i;
            b->density[c] = is_hot ? 1 : 0.125;
            b->momentum_x[c] = b->momentum_y[c] = 0;
            b->energy[c] = (is_hot ? 1 : 0.1) / (gas_gamma - 1);
        }
    }
}

int main(int argc, char **argv)
{
    size_t n = sample_number(argc, argv, 1, 4, 128);
    size_t steps = sample_number(argc, argv, 2, 1, 4), stride = n + 2 * LAYERS;
    size_t cells = stride * stride;
    struct box b = {n,
                    stride,
                    code_calloc(cells, sizeof(double)),
                    code_calloc(cells, sizeof(double)),
                    code_calloc(cells, sizeof(double)),
                    code_calloc(cells, sizeof(double))};
    double time = 0;
    fill(&b);
    for (size_t s = 0; s < steps; s++) {
        reflect(&b);
        double step = allowed_step(&b);
        for (size_t j = LAYERS; j < n + LAYERS; j++)
            sweep(&b, b.momentum_x, b.momentum_y, j * stride + LAYERS - 1, 1, step);
        reflect(&b);
        for (size_t i = LAYERS; i < n + LAYERS; i++)
            sweep(&b, b.momentum_y, b.momentum_x, (LAYERS - 1) * stride + i, stride, step);
        time += step;
    }
    printf("euler: time %.6f, density in the middle %.8f\n", time,
           b.density[(n / 2) * stride + n / 2]);
    free(b.density);
    free(b.momentum_x);
    free(b.momentum_y);
    free(b.energy);
}
