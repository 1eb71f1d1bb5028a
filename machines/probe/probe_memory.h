/*
 * Memory to measure on, in large or in small pages, and rings of pointers in it.
 *
 * Owned; of one thread.
 */
#ifndef FT_MACHINES_PROBE_PROBE_MEMORY_H
#define FT_MACHINES_PROBE_PROBE_MEMORY_H

#include <stdbool.h>
#include <stdint.h>

#include "formats/base/status.h"

struct ft_probe_memory {
    uint8_t *start; /* aligned to 2 MiB */
    uint64_t bytes;
    void *mapped;
    uint64_t mapped_bytes;
};

/* large: pages of 2 MiB, where the kernel gives them. All of it is touched. */
int ft_probe_memory_init(struct ft_probe_memory *memory, uint64_t bytes, bool large,
                         struct ft_diag *diag);
void ft_probe_memory_fini(struct ft_probe_memory *memory);
/* Whether the kernel gives pages of 2 MiB to who asks for them. */
bool ft_probe_has_large_pages(void);

/* Makes a ring of pointers through `count` places in random order, the same for the same seed; each
 * is at `spacing` bytes times a number below count, plus an offset in lines that varies where
 * scatter is given: then rings of one place a page use all sets of caches. Returns a place of the
 * ring; NULL: out of memory. */
void **ft_probe_ring(uint8_t *start, uint64_t count, uint64_t spacing, bool scatter, uint64_t seed);

/* Follows a ring for `steps` loads, a multiple of 16, and gives the place reached. */
void **ft_probe_follow(void **place, uint64_t steps);
/* The same as work to be measured (meter.h): context is a void ***, the place. */
void ft_probe_follow_work(void *context, uint64_t steps);

#endif
