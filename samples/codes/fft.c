/*
 * fft [POINTS [STEPS]]: fast Fourier transforms of a power of two of complex points, forward and
 * back: points are brought into bit-reversed order, then combined in log2(POINTS) passes over all
 * of them, whose partners move apart by a factor of two from pass to pass (Cooley & Tukey 1965).
 */
#include <math.h>

#include "sample.h"

struct complex {
    double re, im;
};

SAMPLE_KERNEL static void reverse(struct complex *points, size_t count)
{
    size_t reversed = 0;
    for (size_t i = 1; i < count; i++) {
        size_t bit = count >> 1;
        for (; reversed & bit; bit >>= 1)
            reversed ^= bit;
        reversed ^= bit;
        if (i < reversed) {
            struct complex point = points[i];
            points[i] = points[reversed];
            points[reversed] = point;
        }
    }
}

/* roots[k] = exp(-2 pi i k / count); direction -1 takes their conjugates. */
SAMPLE_KERNEL static void combine(struct complex *restrict points,
                                  const struct complex *restrict roots, size_t count,
                                  double direction)
{
    for (size_t half = 1; half < count; half *= 2) {
        for (size_t start = 0; start < count; start += 2 * half) {
            for (size_t k = 0; k < half; k++) {
                struct complex root = roots[k * (count / 2 / half)];
                struct complex *low = &points[start + k], *high = low + half;
                double im = direction * root.im;
                struct complex turned = {high->re * root.re - high->im * im,
                                         high->re * im + high->im * root.re};
                *high = (struct complex){low->re - turned.re, low->im - turned.im};
                *low = (struct complex){low->re + turned.re, low->im + turned.im};
            }
        }
    }
}

SAMPLE_KERNEL static void scale(struct complex *points, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        points[i].re /= (double)count;
        points[i].im /= (double)count;
    }
}

int main(int argc, char **argv)
{
    size_t count = sample_number(argc, argv, 1, 2, 65536);
    size_t steps = sample_number(argc, argv, 2, 1, 10);
    if (count & (count - 1)) {
        fprintf(stderr, "%s: %zu points: a power of two is needed\n", argv[0], count);
        return 2;
    }
    struct complex *points = sample_array(count, sizeof *points);
    struct complex *roots = sample_array(count / 2, sizeof *roots);
    for (size_t k = 0; k < count / 2; k++) {
        double angle = -6.283185307179586 * (double)k / (double)count;
        roots[k] = (struct complex){cos(angle), sin(angle)};
    }
    for (size_t i = 0; i < count; i++)
        points[i] = (struct complex){(double)(i % 13), 0};
    for (size_t step = 0; step < steps; step++) {
        reverse(points, count);
        combine(points, roots, count, 1);
        reverse(points, count);
        combine(points, roots, count, -1);
        scale(points, count);
    }
    double error = 0;
    for (size_t i = 0; i < count; i++)
        error = fmax(error, fabs(points[i].re - (double)(i % 13)));
    printf("fft: largest error after forward and back = %.1e\n", error);
    free(points);
    free(roots);
}
