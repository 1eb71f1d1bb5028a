/*
 * What every sample needs: sizes from the command line, memory, and kernels that stay routines of
 * their own. A sample is called as `NAME [SIZE [REPETITIONS]]`; its comment counts the accesses of
 * its kernel as gcc -O2 makes them (a few more a call or an outer iteration save registers), and
 * every loop of the kernel carries its name: "loop: NAME".
 */
#ifndef SAMPLES_SAMPLE_H
#define SAMPLES_SAMPLE_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

/* Neither inlined nor specialised: the routine is in the binary as it is in the source. */
#define SAMPLE_KERNEL __attribute__((noipa))

/* In front of a loop whose iterations OpenMP's threads share, where the program is made so. */
#ifdef _OPENMP
#define SAMPLE_PARALLEL _Pragma("omp parallel for")
#else
#define SAMPLE_PARALLEL
#endif

/* The index-th word of the command line as an integer of at least `low`, or the fallback. */
static inline size_t sample_number(int argc, char **argv, int index, size_t low, size_t fallback)
{
    if (index >= argc)
        return fallback;
    char *end;
    unsigned long long value = strtoull(argv[index], &end, 10);
    if (end == argv[index] || *end || argv[index][0] == '-' || value < low ||
        value > SIZE_MAX / 64) {
        fprintf(stderr, "%s: '%s': an integer of at least %zu is needed\n", argv[0], argv[index],
                low);
        exit(2);
    }
    return (size_t)value;
}

/* Memory for count items that starts a cache line and holds no values yet: its first touch is in
 * the sample at every size, where calloc writes to small arrays and leaves large ones to the
 * kernel. The program ends where there is none. */
static inline void *sample_array(size_t count, size_t item_bytes)
{
    void *array = aligned_alloc(64, (count * item_bytes + 63) / 64 * 64);
    if (!array) {
        fprintf(stderr, "no memory for %zu items of %zu bytes\n", count, item_bytes);
        exit(1);
    }
    return array;
}

/* A reproducible random sequence (xorshift64*, Vigna 2016). */
static inline uint64_t sample_random(uint64_t *state)
{
    *state ^= *state >> 12;
    *state ^= *state << 25;
    *state ^= *state >> 27;
    return *state * UINT64_C(0x2545F4914F6CDD1D);
}

/* The same, uniform below `limit`, which is below 2^32. */
static inline size_t sample_random_below(uint64_t *state, size_t limit)
{
    return (size_t)((sample_random(state) >> 32) * limit >> 32);
}

#endif
