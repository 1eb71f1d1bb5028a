/*
 * rotations [N [SWEEPS]]: singular values of a matrix of N columns of 3 N / 2 numbers by Hestenes's
 * one-sided rotations (1958): each pair of columns is made orthogonal, sweep by sweep.
 */
#include <math.h>

#include "tests/bench/unseen/code.h"

static void rotate(double *a, double *b, size_t rows)
{
    double aa = 0, bb = 0, ab = 0;
    for (size_t i = 0; i < rows; i++) {
        aa += a[i] * a[i];
        bb += b[i] * b[i];
        ab += a[i] * b[i];
    }
    double zeta = (bb - aa) / (2 * ab);
    double tangent = (zeta < 0 ? -1 : 1) / (fabs(zeta) + sqrt(1 + zeta * zeta));
    double cosine = 1 / sqrt(1 + tangent * tangent), sine = cosine * tangent;
    for (size_t i = 0; i < rows; i++) {
        double kept = a[i];
        a[i] = cosine * kept - sine * b[i];
        b[i] = sine * kept + cosine * b[i];
    }
}

int main(int argc, char **argv)
{
    size_t n = sample_number(argc, argv, 1, 2, 64), sweeps = sample_number(argc, argv, 2, 1, 2);
    size_t rows = 3 * n / 2;
    double *a = code_malloc(rows * n, sizeof *a), sum = 0;
    uint64_t random = 1958;
    for (size_t i = 0; i < rows * n; i++)
        a[i] = code_uniform(&random) - 0.5;
    for (size_t s = 0; s < sweeps; s++)
        for (size_t j = 0; j + 1 < n; j++)
            for (size_t k = j + 1; k < n; k++)
                rotate(a + j * rows, a + k * rows, rows);
    for (size_t i = 0; i < rows; i++)
        sum += a[i] * a[i];
    printf("rotations: first column %.6e\n", sqrt(sum));
    free(a);
}
