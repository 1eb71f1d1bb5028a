/*
 * Time slots of one LRU stack: slot t is live while the block that was pushed at time t has not
 * been touched again. One bit per slot, and exclusive prefix counts, so that a rank is five
 * additions and a popcount (docs/replay.md, "Slots"). Slot 0 is never used: it stands for "none".
 *
 *     one count for each   64 slots   2,048   65,536   2^20   2^24
 *     counted from each     2,048    65,536    2^20    2^24   start
 *
 * The counts that lie between two multiples of the next level fill one 64-byte line, or two, so a
 * removal is one masked vector subtraction a level. Counts after the last word in use are garbage.
 */
#ifndef FT_ENGINE_REUSE_STACKS_SLOTS_H
#define FT_ENGINE_REUSE_STACKS_SLOTS_H

#include <stdbool.h>
#include <stdint.h>

#include "formats/base/zero_array.h"

#define FT_SLOTS_MAX (UINT64_C(1) << 32)

struct ft_slots {
    uint64_t *bits;
    uint16_t *per_64; /* within the 2,048 */
    uint16_t *per_2k; /* within the 65,536 */
    uint32_t *per_64k, *per_1m, *per_16m;
    uint64_t capacity; /* a power of two */
    uint64_t next;     /* the slot that the next push takes */
    uint64_t live;
    struct ft_zero_array memory;
};

/* Makes slots 1 .. live live and all others free, with room for `capacity` slots. */
int ft_slots_reset(struct ft_slots *slots, uint64_t capacity, uint64_t live, struct ft_diag *diag);
void ft_slots_fini(struct ft_slots *slots);
/* Memory that a table of so many slots takes, rounded up. */
static inline uint64_t ft_slots_bytes(uint64_t capacity)
{
    return capacity / 8 + capacity / 32 + capacity / 512 + 4096;
}

/* Sets the counts of a word, at least the second one, from those of the word before. */
static inline void ft_slots_start_word(struct ft_slots *slots, uint64_t word)
{
    uint32_t count =
        slots->per_64[word - 1] + (uint32_t)__builtin_popcountll(slots->bits[word - 1]);
    if (word % 32) {
        slots->per_64[word] = (uint16_t)count;
        return;
    }
    slots->per_64[word] = 0;
    uint64_t index = word / 32;
    count += slots->per_2k[index - 1];
    if (index % 32) {
        slots->per_2k[index] = (uint16_t)count;
        return;
    }
    slots->per_2k[index] = 0;
    index /= 32;
    count += slots->per_64k[index - 1];
    if (index % 16) {
        slots->per_64k[index] = count;
        return;
    }
    slots->per_64k[index] = 0;
    index /= 16;
    count += slots->per_1m[index - 1];
    if (index % 16) {
        slots->per_1m[index] = count;
        return;
    }
    slots->per_1m[index] = 0;
    index /= 16;
    slots->per_16m[index] = slots->per_16m[index - 1] + count;
}

/* Levels of counts that matter for a capacity: 2, 3 or all 5. The functions below take it as an
 * argument so that loops can be compiled for each. */
static inline unsigned ft_slots_levels(const struct ft_slots *slots)
{
    return slots->capacity <= 1U << 16 ? 2 : slots->capacity <= 1U << 20 ? 3 : 5;
}

/* Live slots before slot t. */
static inline uint32_t ft_slots_rank(const struct ft_slots *slots, uint32_t t, unsigned levels)
{
    uint64_t before = slots->bits[t / 64] & ((UINT64_C(1) << t % 64) - 1);
    uint32_t rank =
        (uint32_t)__builtin_popcountll(before) + slots->per_64[t >> 6] + slots->per_2k[t >> 11];
    if (levels > 2)
        rank += slots->per_64k[t >> 16];
    if (levels > 3)
        rank += slots->per_1m[t >> 20] + slots->per_16m[t >> 24];
    return rank;
}

/* Takes the next slot; the caller has made sure that there is one. */
static inline uint32_t ft_slots_push(struct ft_slots *slots)
{
    uint64_t t = slots->next++;
    slots->bits[t / 64] |= UINT64_C(1) << t % 64;
    slots->live++;
    if (slots->next % 64 == 0)
        ft_slots_start_word(slots, slots->next / 64);
    return (uint32_t)t;
}

/* Subtracts 1 from the items of a line after `index`; kept as a loop, it becomes whole vectors. */
static inline void ft_slots_lower_u16(uint16_t *line, uint16_t index)
{
#pragma GCC unroll 1
    for (uint16_t i = 0; i < 32; i++)
        line[i] = (uint16_t)(line[i] - (i > index));
}

static inline void ft_slots_lower_u32(uint32_t *line, uint32_t index)
{
#pragma GCC unroll 1
    for (uint32_t i = 0; i < 16; i++)
        line[i] -= i > index;
}

/* Frees the live slot t. */
static inline void ft_slots_remove(struct ft_slots *slots, uint32_t t, unsigned levels)
{
    slots->bits[t / 64] &= ~(UINT64_C(1) << t % 64);
    slots->live--;
    ft_slots_lower_u16(slots->per_64 + (t >> 11 << 5), t >> 6 & 31);
    ft_slots_lower_u16(slots->per_2k + (t >> 16 << 5), t >> 11 & 31);
    if (levels > 2)
        ft_slots_lower_u32(slots->per_64k + (t >> 20 << 4), t >> 16 & 15);
    if (levels > 3) {
        ft_slots_lower_u32(slots->per_1m + (t >> 24 << 4), t >> 20 & 15);
        for (uint64_t i = (t >> 24) + 1; i <= slots->next >> 24; i++)
            slots->per_16m[i]--;
    }
}

#endif
