/*
 * sporadic_sample N: rows that are scaled by the sum of those before them, whose signs depend on
 * data: where it is negative a row loads a constant more.
 */
#include "samples/sample.h"

static volatile double negative = -1;

int main(int argc, char **argv)
{
    const size_t n = sample_number(argc, argv, 1, 8, 128);
    double *rows = sample_array(n * n, sizeof *rows);
    uint64_t random = 1;
    for (size_t i = 0; i < n * n; i++)
        rows[i] = (double)i;
    for (size_t i = 0; i < n; i++) {
        double scale = 1;
        random = random * 6364136223846793005 + 1442695040888963407;
        if (random >> 63)
            scale = negative;
        for (size_t k = 0; k < i; k++)
            for (size_t j = 0; j < n; j++)
                rows[i * n + j] += scale * rows[k * n + j];
    }
    printf("sporadic: %g\n", rows[n * n - 1]);
    free(rows);
    return 0;
}
