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

/* alignment: a power of two for memalign and its kin, 0 for malloc. clears: calloc. */
int ft_allocator_allocate(struct ft_allocator *allocator, uint64_t bytes, uint64_t alignment,
                          bool clears, uint64_t *ret_address, struct ft_diag *diag);
/* How many bytes of the block that was allocated last calloc clears: not what the kernel has just
 * given. */
uint64_t ft_allocator_cleared(const struct ft_allocator *allocator);
/* Bytes of a block that a program may use, which are as many as it asked for or a few more. */
uint64_t ft_allocator_usable(uint64_t bytes);
/* Whether a block of malloc's or calloc's is in a mapping of its own, as it seems from its address.
 */
bool ft_allocator_has_mapped(uint64_t address, uint64_t bytes);
/* Where the mapping of the first block that is large enough for one ends; 0: this one is not.
 * alignment: up to a page. */
uint64_t ft_allocator_mapping_end(uint64_t address, uint64_t bytes, uint64_t alignment);
/* Ignores what it did not allocate. */
int ft_allocator_free(struct ft_allocator *allocator, uint64_t address, struct ft_diag *diag);

#endif
