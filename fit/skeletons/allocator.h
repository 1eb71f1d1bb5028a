/*
 * Where the GNU C library's malloc (2.26 to 2.40, one thread, default settings) puts blocks: chunks
 * of 16 bytes in the heap above the program break, from caches and bins of freed ones or the top,
 * and mappings of their own for what is large, below those that there are (glibc malloc/malloc.c:
 * _int_malloc, _int_free, _int_memalign, sysmalloc). No memory is allocated but for its tables.
 */
#ifndef FT_FIT_SKELETONS_ALLOCATOR_H
#define FT_FIT_SKELETONS_ALLOCATOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "formats/base/status.h"
#include "formats/skeleton/places.h"

struct ft_allocator;
/* heap: the program break when the heap begins. mapped: what the kernel has mapped, without the
 * program; copied. */
int ft_allocator_create(uint64_t heap, const struct ft_mapped_range *mapped, size_t mapped_count,
                        struct ft_allocator **ret_allocator, struct ft_diag *diag);
void ft_allocator_destroy(struct ft_allocator *allocator);

/* alignment: a power of two for memalign and its kin, 0 for malloc. clears: calloc; cleared: how
 * much of the block it sets to 0, from the start on: not what the kernel has just given out. */
int ft_allocator_allocate(struct ft_allocator *allocator, uint64_t bytes, uint64_t alignment,
                          bool clears, struct ft_placed_block *ret_block, struct ft_diag *diag);
/* Where the mapping of the first block that is large enough for one ends; 0: this one is not.
 * alignment: up to a page. */
uint64_t ft_allocator_mapping_end(uint64_t address, uint64_t bytes, uint64_t alignment);
/* Ignores what it did not allocate. */
int ft_allocator_free(struct ft_allocator *allocator, uint64_t address, struct ft_diag *diag);

#endif
