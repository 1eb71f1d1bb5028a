/*
 * Addresses by the heap block that they are in, so that they do not depend on where the allocator
 * put it: the n-th block of a thread, counted from 0, is at FT_PLACE_BLOCKS + n * FT_PLACE_STEP;
 * the stack is around FT_PLACE_STACK, where the stack pointer was at the start. Other addresses
 * stay as they are. Needs a capture with --allocations. One thread at a time.
 */
#ifndef FT_ENGINE_SKELETON_HEAP_BLOCKS_H
#define FT_ENGINE_SKELETON_HEAP_BLOCKS_H

#include "engine/data/interval_map.h"
#include "engine/data/memory_events.h"

#define FT_PLACE_BLOCKS     (UINT64_C(1) << 62)
#define FT_PLACE_STACK      (UINT64_C(1) << 63)
#define FT_PLACE_STEP       (UINT64_C(1) << 36)
#define FT_PLACE_BLOCKS_MAX (UINT32_C(1) << 25)

static inline bool ft_is_in_block(uint64_t place)
{
    return place - FT_PLACE_BLOCKS < FT_PLACE_BLOCKS_MAX * FT_PLACE_STEP;
}
static inline bool ft_is_on_stack(uint64_t place)
{
    return place - (FT_PLACE_STACK - FT_PLACE_STEP) < 2 * FT_PLACE_STEP;
}

/* The n-th event of a thread's heap. */
struct ft_block_event {
    uint32_t block; /* its number */
    bool is_freed;  /* else allocated */
    bool clears;    /* by calloc */
    uint64_t address, bytes;
    uint64_t alignment; /* asked for; 0: malloc's own */
};

struct ft_heap_blocks {
    const struct ft_thread_memory *memory; /* the caller's */
    struct ft_interval_map live;
    struct ft_interval *last; /* [reference]: where it was last; value: as in live */
    uint64_t *last_version;   /* [reference] */
    size_t next_event;
    uint64_t version; /* changes with the live blocks */
    uint32_t block_count;
    struct ft_block_event *events;
    size_t event_count, event_capacity;
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
