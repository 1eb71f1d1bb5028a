/*
 * What the codes of this folder share beside samples/sample.h: memory from the C library as it
 * comes, or the end of the program where there is none.
 */
#ifndef UNSEEN_CODE_H
#define UNSEEN_CODE_H

#include "samples/sample.h"

static inline void *code_checked(void *memory, size_t count, size_t item_bytes)
{
    if (!memory && count > 0) {
        fprintf(stderr, "no memory for %zu items of %zu bytes\n", count, item_bytes);
        exit(1);
    }
    return memory;
}

static inline void *code_malloc(size_t count, size_t item_bytes)
{
    return code_checked(malloc(count * item_bytes), count, item_bytes);
}

static inline void *code_calloc(size_t count, size_t item_bytes)
{
    return code_checked(calloc(count, item_bytes), count, item_bytes);
}

/* Uniform in [0, 1). */
static inline double code_uniform(uint64_t *random)
{
    return (double)(sample_random(random) >> 11) * 0x1p-53;
}

#endif
