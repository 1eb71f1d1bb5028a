/*
 * cube [N [STEPS]]: Fourier transforms of N x N x N complex numbers, N a power of two, by one
 * dimension after the other: lines are copied into a buffer, transformed in place by Cooley & Tukey
 * (1965), and copied back; each step turns the phases in between.
 */
#include <complex.h>
#include <math.h>

#include "tests/bench/unseen/code.h"

static void reverse_bits(double complex *line, size_t n)
{
    for (size_t i = 1, j = 0; i < n; i++) {
        size_t bit = n >> 1;
        for (; j & bit; bit >>= 1)
            j ^= bit;
        j |= bit;
        if (i < j) {
            double complex kept = line[i];
            line[i] = line[j];
            line[j] = kept;
        }
    }
}

static void transform(double complex *line, const double complex *root, size_t n)
{
    reverse_bits(line, n);
    for (size_t half = 1; half < n; half *= 2) {
        size_t stride = n / (2 * half);
        for (size_t start = 0; start < n; start += 2 * half) {
            for (size_t k = 0; k < half; k++) {
                double complex turned = root[k * stride] * line[start + half + k];
                line[start + half + k] = line[start + k] - turned;
                line[start + k] += turned;
            }
        }
    }
}

/* All lines of one dimension, whose numbers are distance apart. */
static void transform_lines(double complex *cube, double complex *line, const double complex *root,
                            size_t n, size_t distance)
{
    for (size_t outer = 0; outer < n * n * n; outer += distance * n) {
        for (size_t inner = 0; inner < distance; inner++) {
            double complex *first = cube + outer + inner;
            for (size_t i = 0; i < n; i++)
                line[i] = first[i * distance];
            transform(line, root, n);
            for (size_t i = 0; i < n; i++)
                first[i * distance] = line[i];
        }
    }
}

int main(int argc, char **argv)
{
    size_t n = sample_number(argc, argv, 1, 2, 32);
    size_t steps = sample_number(argc, argv, 2, 1, 1), points = n * n * n;
    double complex *cube = code_malloc(points, sizeof *cube);
    double complex *line = code_malloc(n, sizeof *line), *root = code_malloc(n, sizeof *root);
    uint64_t random = 3;
    for (size_t k = 0; k < n; k++)
        root[k] = cexp(-2 * I * acos(-1) * (double)k / (double)n);
    for (size_t i = 0; i < points; i++)
        cube[i] = code_uniform(&random) + I * code_uniform(&random);
    for (size_t s = 0; s < steps; s++) {
        for (size_t distance = 1; distance < points; distance *= n)
            transform_lines(cube, line, root, n, distance);
        for (size_t i = 0; i < points; i++)
            cube[i] *= root[(i * (s + 1)) % n] / sqrt((double)points);
    }
    printf("cube: %.6e\n", cabs(cube[points / 3]));
    free(cube);
    free(line);
    free(root);
}
