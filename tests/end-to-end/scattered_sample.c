/*
 * usage: scattered_sample N
 *
 * Sweeps of the Ising model over N x N sites in random order. Two accesses of its loop, one to a
 * table and the store that flips a site, run as often as the data say, more rarely the longer it
 * runs; all others run in each iteration.
 */
#include <stdio.h>

#include "samples/sample.h"

int main(int argc, char **argv)
{
    static const double chances[] = {1, 1, 1, 0.18, 0.03};
    const size_t n = sample_number(argc, argv, 1, 4, 64);
    uint64_t random = 1;
    long sum = 0;
    signed char *sites = malloc(n * n);
    if (!sites)
        return 1;
    for (size_t i = 0; i < n * n; i++)
        sites[i] = i % 3 ? 1 : -1;
    for (size_t trial = 0; trial < 4 * n * n; trial++) {
        const size_t i = (size_t)(sample_random(&random) >> 20) % n;
        const size_t j = (size_t)(sample_random(&random) >> 20) % n;
        signed char *site = &sites[i * n + j];
        const int alike = *site * (sites[(i + 1) % n * n + j] + sites[(i + n - 1) % n * n + j] +
                                   sites[i * n + (j + 1) % n] + sites[i * n + (j + n - 1) % n]);
        if (alike <= 0 || (double)(sample_random(&random) >> 11) * 0x1p-53 < chances[2 + alike / 2])
            *site = (signed char)-*site;
    }
    for (size_t i = 0; i < n * n; i++)
        sum += sites[i];
    printf("scattered_sample: %ld\n", sum);
    free(sites);
}
