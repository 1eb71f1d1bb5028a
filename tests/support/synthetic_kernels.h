/*
 * Histogram entries of loops that are written down here, by a stack distance counter of its own (a
 * Fenwick tree over time): what capture and replay would give, without either. Tests of fit and
 * predict train on small sizes and compare with the exact misses of a larger one.
 */
#ifndef FT_TESTS_SUPPORT_SYNTHETIC_KERNELS_H
#define FT_TESTS_SUPPORT_SYNTHETIC_KERNELS_H

#include "formats/histograms/histograms.h"

struct synthetic; /* a kernel that runs */

struct synthetic_kernel {
    const char *name;
    uint32_t reference_count;
    const uint32_t *groups; /* of the references, numbered from 0 */
    void (*run)(struct synthetic *synthetic, uint64_t n);
};
extern const struct synthetic_kernel synthetic_kernels[]; /* ends with a NULL name */
const struct synthetic_kernel *synthetic_find(const char *name);

/* The entry of a kernel with parameter N = n at one block size; every reference stands in a block
 * of its own, one loop and one routine. Exits where memory runs out. */
struct ft_histograms synthetic_histograms(const struct synthetic_kernel *kernel, uint64_t n,
                                          uint64_t block_bytes);

/* Misses of a fully associative LRU cache in an entry. Capacities at which a bin of the histogram
 * begins are exact. */
uint64_t synthetic_misses(const struct ft_histograms *entry, uint64_t capacity);

#endif
