/*
 * resample [N [FRAMES]]: a particle filter with N particles that follow a point: moves, weights,
 * their sum, a table of cumulated weights, and each particle drawn again by a search in it.
 */
#include "tests/bench/unseen/code.h"
#include <math.h>

static double normal(uint64_t *random)
{
    double u = 1 - code_uniform(random), v = code_uniform(random);
    return sqrt(-2 * log(u)) * cos(2 * 3.14159265358979323846 * v);
}

static size_t search(const double *table, size_t n, double value)
{
    size_t low = 0, high = n - 1;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (table[middle] < value)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

int main(int argc, char **argv)
{
    size_t n = sample_number(argc, argv, 1, 2, 5000), frames = sample_number(argc, argv, 2, 1, 5);
    double *x = code_malloc(n, sizeof *x), *y = code_malloc(n, sizeof *y);
    double *next_x = code_malloc(n, sizeof *x), *next_y = code_malloc(n, sizeof *y);
    double *weight = code_malloc(n, sizeof *weight), *cumulated = code_malloc(n, sizeof *weight);
    uint64_t random = 1993;
    for (size_t i = 0; i < n; i++)
        x[i] = y[i] = 0;
    for (size_t frame = 1; frame <= frames; frame++) {
        double at_x = (double)frame, at_y = 2 * (double)frame, sum = 0;
        for (size_t i = 0; i < n; i++) {
            x[i] += 1 + 5 * normal(&random);
            y[i] += 2 + 2 * normal(&random);
            double dx = x[i] - at_x, dy = y[i] - at_y;
            weight[i] = exp(-(dx * dx + dy * dy) / 50);
            sum += weight[i];
        }
        cumulated[0] = weight[0] / sum;
        for (size_t i = 1; i < n; i++)
            cumulated[i] = cumulated[i - 1] + weight[i] / sum;
        double first = code_uniform(&random) / (double)n;
        for (size_t i = 0; i < n; i++) {
            size_t from = search(cumulated, n, first + (double)i / (double)n);
            next_x[i] = x[from];
            next_y[i] = y[from];
        }
        for (size_t i = 0; i < n; i++) {
            x[i] = next_x[i];
            y[i] = next_y[i];
        }
    }
    printf("resample: %g %g\n", x[0], y[0]);
    free(x);
    free(y);
    free(next_x);
    free(next_y);
    free(weight);
    free(cumulated);
}
