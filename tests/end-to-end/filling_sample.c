/*
 * filling_sample N [PASSES]: rows that memset clears and memcpy copies, shorter and longer than
 * what the C library takes a repeated string instruction for; and a few rows at once, but in no
 * further pass.
 */
#include <string.h>

#include "samples/sample.h"

#define COLUMNS 16

int main(int argc, char **argv)
{
    const size_t n = sample_number(argc, argv, 1, COLUMNS, 160), row_bytes = n * sizeof(double);
    double *rows = sample_array(n * n, sizeof *rows);
    double *copy = sample_array(n * n, sizeof *copy);
    double *sums = sample_array(n * COLUMNS, sizeof *sums);
    const size_t passes = sample_number(argc, argv, 2, 1, 1);
    if (passes == 1) {
        memset(sums, 0, n * COLUMNS * sizeof *sums);
        /* From another place in a granule than to. */
        memcpy(copy, rows + 2, n * COLUMNS * sizeof *rows);
        memcpy(copy + 2, rows, n * COLUMNS * sizeof *rows);
    }
    for (size_t r = 0, i = 0; r < passes * n; r++, i = r % n) {
        memset(rows + i * n, 0, row_bytes);
        for (size_t j = 0; j < n; j++)
            rows[i * n + j] += (double)(i + j);
        memcpy(copy + i * n, rows + i * n, row_bytes);
        for (size_t k = 0; k < COLUMNS; k++)
            sums[k * n + i] += copy[i * n + k];
    }
    printf("filling: %g\n", sums[n - 1]);
    free(sums);
    free(copy);
    free(rows);
    return 0;
}
