#include "engine/reuse/stacks/slots.h"

#include <string.h>

/* Bytes of a level with one item for each `slots` slots: one more than needed, because the word
 * after the last is started too, in whole lines. */
static size_t level_bytes(uint64_t capacity, uint64_t slots, size_t item_bytes)
{
    size_t bytes = (capacity / slots + 1) * item_bytes;
    return (bytes + 63) / 64 * 64;
}

int ft_slots_reset(struct ft_slots *slots, uint64_t capacity, uint64_t live, struct ft_diag *diag)
{
    const size_t bits_bytes = level_bytes(capacity, 64, sizeof *slots->bits);
    const size_t bytes[] = {
        level_bytes(capacity, 1 << 6, sizeof *slots->per_64),
        level_bytes(capacity, 1 << 11, sizeof *slots->per_2k),
        level_bytes(capacity, 1 << 16, sizeof *slots->per_64k),
        level_bytes(capacity, 1 << 20, sizeof *slots->per_1m),
        level_bytes(capacity, 1 << 24, sizeof *slots->per_16m),
    };
    int status = ft_zero_array_reserve(
        &slots->memory, bits_bytes + bytes[0] + bytes[1] + bytes[2] + bytes[3] + bytes[4], diag);
    if (status)
        return status;
    char *base = slots->memory.items;
    slots->bits = (uint64_t *)base;
    slots->per_64 = (uint16_t *)(base += bits_bytes);
    slots->per_2k = (uint16_t *)(base += bytes[0]);
    slots->per_64k = (uint32_t *)(base += bytes[1]);
    slots->per_1m = (uint32_t *)(base += bytes[2]);
    slots->per_16m = (uint32_t *)(base + bytes[3]);
    slots->capacity = capacity;
    slots->next = live + 1;
    slots->live = live;

    memset(slots->bits, 0, bits_bytes);
    memset(slots->bits, 0xff, slots->next / 64 * sizeof *slots->bits);
    slots->bits[slots->next / 64] |= (UINT64_C(1) << slots->next % 64) - 1;
    slots->bits[0] &= ~UINT64_C(1);
    slots->per_64[0] = slots->per_2k[0] = 0;
    slots->per_64k[0] = slots->per_1m[0] = slots->per_16m[0] = 0;
    for (uint64_t word = 1; word <= slots->next / 64; word++)
        ft_slots_start_word(slots, word);
    return FT_OK;
}

void ft_slots_fini(struct ft_slots *slots)
{
    ft_zero_array_fini(&slots->memory);
    *slots = (struct ft_slots){0};
}
