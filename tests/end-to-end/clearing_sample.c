/*
 * Rows that memset clears and memcpy copies, shorter and longer than what the C library takes a
 * repeated string instruction for, and blocks of calloc, which clears them unless the kernel has
 * just given them: the last one is large enough for that from N = 1024 on. clearing_sample N.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "samples/sample.h"

#define WIDTH 16

int main(int argc, char **argv)
{
    const size_t n = sample_number(argc, argv, 1, 1, 160), row_bytes = n * sizeof(double);
    double *rows = sample_array(n * n, sizeof *rows);
    double *copy = sample_array(n * n, sizeof *copy);
    double *scale = calloc(n + 2, sizeof *scale);
    double *sums = calloc(n * WIDTH, sizeof *sums);
    if (!scale || !sums)
        return 1;
    for (size_t i = 0; i < n; i++) {
        memset(rows + i * n, 0, row_bytes);
        for (size_t j = 0; j < n; j++)
            rows[i * n + j] += scale[j] + (double)i;
        memcpy(copy + i * n, rows + i * n, row_bytes);
        for (size_t k = 0; k < WIDTH; k++)
            sums[k * n + i] += copy[i * n + k];
    }
    printf("clearing: %g\n", sums[n - 1]);
    free(sums);
    free(scale);
    free(copy);
    free(rows);
    return 0;
}
