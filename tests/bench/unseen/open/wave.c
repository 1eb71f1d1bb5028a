/*
 * wave [N [STEPS]]: the wave equation on N^3 points, N odd so that the source is in the middle:
 * second order in time, seven points in space, three fields that change places.
 */
#include <math.h>

#include "tests/bench/unseen/code.h"

struct waves {
    size_t n;
    double *before, *now, *after, *speed;
};

static struct waves create(size_t n)
{
    size_t points = n * n * n;
    struct waves waves = {n, code_calloc(points, sizeof(double)),
                          code_calloc(points, sizeof(double)), code_calloc(points, sizeof(double)),
                          code_malloc(points, sizeof(double))};
    for (size_t k = 0; k < n; k++)
        for (size_t j = 0; j < n; j++)
            for (size_t i = 0; i < n; i++)
                waves.speed[(k * n + j) * n + i] = k < n / 2 ? 0.2 : 0.1;
    return waves;
}

static void advance(struct waves *waves)
{
    size_t n = waves->n;
    const double *restrict u = waves->now, *restrict before = waves->before;
    const double *restrict speed = waves->speed;
    double *restrict after = waves->after;
    for (size_t k = 1; k < n - 1; k++) {
        for (size_t j = 1; j < n - 1; j++) {
            for (size_t i = 1; i < n - 1; i++) {
                size_t at = (k * n + j) * n + i;
                double laplacian = u[at - 1] + u[at + 1] + u[at - n] + u[at + n] + u[at - n * n] +
                                   u[at + n * n] - 6 * u[at];
                after[at] = 2 * u[at] - before[at] + speed[at] * laplacian;
            }
        }
    }
}

static void change_places(struct waves *waves)
{
    double *oldest = waves->before;
    waves->before = waves->now;
    waves->now = waves->after;
    waves->after = oldest;
}

int main(int argc, char **argv)
{
    size_t n = sample_number(argc, argv, 1, 3, 65);
    size_t steps = sample_number(argc, argv, 2, 1, 3);
    struct waves waves = create(n);
    size_t source = (n / 2 * n + n / 2) * n + n / 2;
    for (size_t s = 0; s < steps; s++) {
        waves.now[source] += sin(0.5 * (double)s + 1);
        advance(&waves);
        change_places(&waves);
    }
    double energy = 0;
    for (size_t i = 0; i < n * n * n; i++)
        energy += waves.now[i] * waves.now[i];
    printf("wave: energy = %.9f\n", energy);
    free(waves.before);
    free(waves.now);
    free(waves.after);
    free(waves.speed);
}
