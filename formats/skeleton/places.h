/*
 * Addresses by the heap block that they are in, so that they do not depend on where the allocator
 * put it: the n-th block of a thread, counted from 0, is at FT_PLACE_BLOCKS + n * FT_PLACE_STEP;
 * the stack is around FT_PLACE_STACK, where the stack pointer was at the start. Other addresses
 * stay as they are. With what the program did to its heap, and what was mapped before.
 */
#ifndef FT_FORMATS_SKELETON_PLACES_H
#define FT_FORMATS_SKELETON_PLACES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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
/* Alignments are powers of two. */
static inline bool ft_is_alignment(uint64_t alignment)
{
    return (alignment & (alignment - 1)) == 0 && alignment < FT_PLACE_STEP;
}

/* All of them, in order. */
struct ft_block_events {
    uint32_t block_count;
    struct ft_block_event *events;
    size_t event_count, event_capacity;
};

/* Where a block is. */
struct ft_placed_block {
    uint64_t address, bytes;
    uint64_t cleared;     /* bytes, from its start on, that calloc sets to 0 */
    uint64_t uncleared;   /* others that calloc gives: the kernel's, which nothing touched */
    uint64_t fresh_pages; /* of 4 KiB, that no block had since the kernel gave them out */
};

/* A part of the address space that is in use; sorted by address, disjoint. */
struct ft_mapped_range {
    uint64_t start, end;
};

/* The address space before the first block is allocated. */
struct ft_first_memory {
    uint64_t stack;                 /* the stack pointer at the start; 0: not known */
    uint64_t heap;                  /* the program break when the heap begins; 0: not known */
    struct ft_mapped_range *mapped; /* by the kernel, without the program */
    size_t mapped_count;
};

#endif
