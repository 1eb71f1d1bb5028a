/*
 * When each block was touched last, and by which reference: a table by block number. One thread at
 * a time.
 */
#ifndef FT_PREDICT_EXPLAIN_LAST_TOUCHES_H
#define FT_PREDICT_EXPLAIN_LAST_TOUCHES_H

#include "formats/base/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ft_last_touch {
    uint64_t block; /* + 1; 0: a free slot */
    uint64_t time;
    uint32_t reference;
};

struct ft_last_touches {
    struct ft_last_touch *slots; /* linear probing */
    unsigned bits;               /* of their number; at most half of them are used */
    size_t count;
};

int ft_last_touches_init(struct ft_last_touches *touches, struct ft_diag *diag);
void ft_last_touches_fini(struct ft_last_touches *touches);
/* Twice as many slots. */
int ft_last_touches_grow(struct ft_last_touches *touches, struct ft_diag *diag);

/* The slot of a block, which is new where its `block` is 0: blocks beside each other have slots
 * beside each other. The caller fills it in, counts a new one, and grows the table when it is half
 * full. */
static inline struct ft_last_touch *ft_last_touch_of(const struct ft_last_touches *touches,
                                                     uint64_t block)
{
    const uint64_t mask = (UINT64_C(1) << touches->bits) - 1;
    const uint64_t mixed = (block >> 3) * UINT64_C(0x9e3779b97f4a7c15);
    uint64_t slot = (mixed >> (64 - touches->bits) & ~UINT64_C(7)) | (block & 7);
    while (touches->slots[slot].block && touches->slots[slot].block != block + 1)
        slot = (slot + 1) & mask;
    return &touches->slots[slot];
}
static inline bool ft_last_touches_is_full(const struct ft_last_touches *touches)
{
    return touches->count >= (size_t)1 << (touches->bits - 1);
}

#endif
