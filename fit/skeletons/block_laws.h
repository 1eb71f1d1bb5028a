/*
 * Heap blocks over sizes: which are allocated and freed in which order, how large each is, and
 * whether the model of the allocator (allocator.h) puts them where they were. Plain data, owned.
 */
#ifndef FT_FIT_SKELETONS_BLOCK_LAWS_H
#define FT_FIT_SKELETONS_BLOCK_LAWS_H

#include "engine/skeleton/trace_skeleton.h"
#include "fit/skeletons/allocator.h"
#include "fit/skeletons/size_law.h"

struct ft_sized_block_event {
    uint32_t block;
    bool is_freed, clears;
    uint64_t alignment; /* 0: malloc's */
    double bytes[FT_SIZED_COEFFICIENTS];
};

struct ft_block_laws {
    struct ft_sized_block_event *events;
    size_t event_count;
    bool *is_confirmed; /* [block]: the allocator put it there at all training sizes */
    uint32_t block_count;
    uint64_t heap; /* where the allocator starts */
    struct ft_mapped_range *mapped;
    size_t mapped_count;
};

/* skeletons: with places, by ascending size. Where the heaps of the sizes are not alike there are
 * no events, and no block is confirmed. */
int ft_block_laws_learn(const struct ft_skeleton *skeletons, const double *sizes, size_t size_count,
                        struct ft_block_laws *ret_laws, struct ft_diag *diag);
void ft_block_laws_fini(struct ft_block_laws *laws);
/* Where blocks are at a size; those that are not confirmed are where the largest training size has
 * them. ret_addresses: [block]. */
int ft_block_laws_at(const struct ft_block_laws *laws, const struct ft_heap_blocks *largest,
                     double size, uint64_t *ret_addresses, struct ft_diag *diag);

#endif
