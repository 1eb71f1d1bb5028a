/*
 * Finds the place (formats/skeleton/places.h) of each address that a thread accesses, by what it
 * has allocated and freed so far. Needs a capture with --allocations. One thread at a time.
 */
#ifndef FT_ENGINE_SKELETON_HEAP_BLOCKS_H
#define FT_ENGINE_SKELETON_HEAP_BLOCKS_H

#include "engine/data/interval_map.h"
#include "engine/data/memory_events.h"
#include "formats/skeleton/places.h"

struct ft_heap_blocks {
    const struct ft_thread_memory *memory; /* the caller's */
    struct ft_interval_map live;
    struct ft_interval *last; /* [reference]: where it was last; value: as in live */
    uint64_t *last_version;   /* [reference] */
    struct ft_interval freed; /* by the last event, or {0} */
    size_t next_event;
    uint64_t version; /* changes with the live blocks */
    struct ft_block_events events;
};

int ft_heap_blocks_init(struct ft_heap_blocks *blocks, const struct ft_thread_memory *memory,
                        uint32_t reference_count, struct ft_diag *diag);
void ft_heap_blocks_fini(struct ft_heap_blocks *blocks);
/* Applies what happened before the access of this number. */
int ft_heap_blocks_advance(struct ft_heap_blocks *blocks, uint64_t accesses, struct ft_diag *diag);
/* The access before which something happens next. */
uint64_t ft_heap_blocks_next(const struct ft_heap_blocks *blocks);
/* The place of a reference's address; *ret_from and *ret_to: all addresses from the one up to the
 * other are as far from their places. */
uint64_t ft_heap_blocks_place(struct ft_heap_blocks *blocks, uint32_t reference, uint64_t address,
                              uint64_t *ret_from, uint64_t *ret_to);

#endif
