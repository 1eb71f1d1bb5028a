/*
 * A program for cache simulators: sweeps, strides, random accesses and a list over 384 KiB of data,
 * in which no access spans lines. Data lie in the upper three quarters of each 64 KiB, so that in a
 * cache whose ways are 64 KiB they never meet the code, which lies in the first quarter.
 */
#include <stddef.h>

#include "tests/support/freestanding.h"

#define REGIONS 8
#define WORDS   6144

static struct region {
    char gap[16384];
    uint64_t words[WORDS];
} regions[REGIONS] __attribute__((aligned(65536)));

SAMPLE uint64_t sweep(size_t stride)
{
    uint64_t sum = 0;
    for (size_t r = 0; r < REGIONS; r++)
        for (size_t i = 0; i < WORDS; i += stride)
            sum += regions[r].words[i];
    return sum;
}

SAMPLE void add_columns(size_t row)
{
    for (size_t i = 0; i + row < WORDS; i += row)
        for (size_t r = 1; r < REGIONS; r++)
            regions[0].words[i] += regions[r].words[i + r % row];
}

SAMPLE uint64_t scatter(uint64_t random, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        random = random * 6364136223846793005u + 1442695040888963407u;
        uint64_t *word = &regions[random >> 61].words[(random >> 40) % WORDS];
        if (random >> 33 & 1)
            *word = random;
        else
            random ^= *word;
    }
    return random;
}

SAMPLE uint64_t chase(size_t step, size_t count)
{
    size_t place = 0;
    for (size_t i = 0; i < WORDS; i++)
        regions[3].words[i] = (i + step) % WORDS;
    for (size_t i = 0; i < count; i++)
        place = regions[3].words[place];
    return place;
}

static void run(void)
{
    uint64_t sum = scatter(1, 20000);
    for (size_t stride = 1; stride <= 64; stride *= 2)
        sum += sweep(stride);
    add_columns(64);
    add_columns(17);
    sum += chase(515, 20000) + scatter(sum | 1, 20000);
    sample_exit(sum == 1);
}

SAMPLE_START(run)
