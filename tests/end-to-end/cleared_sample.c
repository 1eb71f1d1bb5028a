/*
 * usage: cleared_sample N [PARTS]
 *
 * Sweeps over two arrays of calloc, or the first part of PARTS of them. It sets them to 0 where
 * they are small, the second one in part where the heap has to grow for it, and leaves large ones
 * as they come from the kernel.
 */
#include <stdio.h>

#include "samples/sample.h"

int main(int argc, char **argv)
{
    const size_t count = sample_number(argc, argv, 1, 4, 1000);
    const size_t end = count / sample_number(argc, argv, 2, 1, 1) - 1;
    double *from = calloc(count, sizeof *from), *to = calloc(count, sizeof *to);
    if (!from || !to) {
        free(from);
        free(to);
        return 1;
    }
    for (unsigned sweep = 0; sweep < 3; sweep++) {
        for (size_t i = 1; i < end; i++)
            to[i] = from[i - 1] + from[i + 1] + 1;
        for (size_t i = 1; i < end; i++)
            from[i] = to[i - 1] + to[i + 1];
    }
    printf("cleared_sample: %.6e\n", from[end / 2]);
    free(from);
    free(to);
}
