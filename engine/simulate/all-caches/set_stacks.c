/*
 * The most recent blocks of a set stand in an array, newest first: a search and a move. While a set
 * has few blocks the array holds them all. A set of more becomes deep: the array keeps the newest
 * few, and what leaves it takes a time slot (engine/reuse/stacks/slots.h), whose rank is the
 * distance.
 *
 * Slots that run out are numbered again. The blocks of a set are found by their number, which is
 * why only bits that are dense may choose a set there; sets of finer caches and those beyond
 * DEEP_MAX (each takes mappings of memory) keep their long arrays, which is slower and the same
 * otherwise.
 */
#include "engine/simulate/all-caches/set_stacks.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "engine/reuse/stacks/slots.h"
#include "formats/base/array.h"

#define SHALLOW_MAX 1024 /* blocks of a set that is not deep */
#define DEEP_FRONT  32   /* blocks in the array of one that is */
#define DEEP_MAX    4096
#define PIECE_ITEMS (1U << 18)

struct set {
    uint32_t *front; /* newest first */
    uint32_t count;
    uint16_t capacity_log;
    uint16_t deep; /* number + 1 in the list of deep sets; 0: not deep */
};

struct ft_set_stacks {
    unsigned set_bits, dense_bits;
    struct ft_zero_array sets; /* struct set, by number */
    struct ft_zero_array last; /* uint32_t, by block: its slot in its deep set; 0: none */
    uint64_t block_count;
    struct ft_slots *deep;
    size_t deep_count, deep_capacity;
    uint32_t **pieces; /* memory of the fronts */
    size_t piece_count, piece_capacity, piece_used;
    uint32_t *spare[32]; /* by capacity_log: given back; the first two items link them */
};

int ft_set_stacks_create(unsigned set_bits, unsigned dense_bits, struct ft_set_stacks **ret_stacks,
                         struct ft_diag *diag)
{
    struct ft_set_stacks *stacks = calloc(1, sizeof *stacks);
    if (!stacks)
        return ft_fail_memory(diag, "stacks of sets");
    stacks->set_bits = set_bits;
    stacks->dense_bits = dense_bits;
    int status = ft_zero_array_reserve(&stacks->sets, sizeof(struct set) << set_bits, diag);
    if (status != FT_OK) {
        ft_set_stacks_destroy(stacks);
        return status;
    }
    *ret_stacks = stacks;
    return FT_OK;
}

void ft_set_stacks_destroy(struct ft_set_stacks *stacks)
{
    if (!stacks)
        return;
    for (size_t i = 0; i < stacks->deep_count; i++)
        ft_slots_fini(&stacks->deep[i]);
    for (size_t i = 0; i < stacks->piece_count; i++)
        free(stacks->pieces[i]);
    free(stacks->deep);
    free(stacks->pieces);
    ft_zero_array_fini(&stacks->sets);
    ft_zero_array_fini(&stacks->last);
    free(stacks);
}

int ft_set_stacks_reserve(struct ft_set_stacks *stacks, uint64_t block_count, struct ft_diag *diag)
{
    stacks->block_count = block_count;
    return stacks->deep_count
               ? ft_zero_array_reserve(&stacks->last, block_count * sizeof(uint32_t), diag)
               : FT_OK;
}

/* ---- memory of the fronts: arrays of 2^n items ---- */

static uint32_t *take_items(struct ft_set_stacks *stacks, unsigned capacity_log)
{
    uint32_t *items = stacks->spare[capacity_log];
    size_t count = (size_t)1 << capacity_log;
    if (items) {
        memcpy(&stacks->spare[capacity_log], items, sizeof items);
        return items;
    }
    if (stacks->piece_count == 0 || stacks->piece_used + count > PIECE_ITEMS) {
        if (!FT_RESERVE(stacks->pieces, stacks->piece_capacity, stacks->piece_count + 1))
            return NULL;
        size_t piece_items = count > PIECE_ITEMS ? count : PIECE_ITEMS;
        if (!(stacks->pieces[stacks->piece_count] = malloc(piece_items * sizeof *items)))
            return NULL;
        stacks->piece_count++;
        stacks->piece_used = 0;
    }
    items = stacks->pieces[stacks->piece_count - 1] + stacks->piece_used;
    stacks->piece_used += count;
    return items;
}

static void give_items(struct ft_set_stacks *stacks, uint32_t *items, unsigned capacity_log)
{
    memcpy(items, &stacks->spare[capacity_log], sizeof items);
    stacks->spare[capacity_log] = items;
}

static int grow_front(struct ft_set_stacks *stacks, struct set *set, struct ft_diag *diag)
{
    unsigned capacity_log = set->front ? set->capacity_log + 1U : 1;
    uint32_t *front = take_items(stacks, capacity_log);
    if (!front)
        return ft_fail_memory(diag, "the blocks of a set");
    if (set->front) {
        memcpy(front, set->front, set->count * sizeof *front);
        give_items(stacks, set->front, set->capacity_log);
    }
    set->front = front;
    set->capacity_log = (uint16_t)capacity_log;
    return FT_OK;
}

/* ---- deep sets ---- */

static int renumber(struct ft_set_stacks *stacks, struct ft_slots *slots, uint64_t set,
                    struct ft_diag *diag)
{
    uint32_t *last = stacks->last.items;
    unsigned levels = ft_slots_levels(slots);
    for (uint64_t block = set; block < stacks->block_count;
         block += UINT64_C(1) << stacks->set_bits)
        if (last[block])
            last[block] = ft_slots_rank(slots, last[block], levels) + 1;
    uint64_t capacity = 4 * SHALLOW_MAX;
    while (capacity < 4 * slots->live)
        capacity *= 2;
    if (capacity > FT_SLOTS_MAX)
        return ft_fail(diag, FT_ERROR_UNSUPPORTED, "more than 2^30 blocks fall into one set");
    return ft_slots_reset(slots, capacity, slots->live, diag);
}

static int push_deep(struct ft_set_stacks *stacks, struct ft_slots *slots, uint64_t set,
                     uint32_t block, struct ft_diag *diag)
{
    if (slots->next == slots->capacity) {
        int status = renumber(stacks, slots, set, diag);
        if (status != FT_OK)
            return status;
    }
    ((uint32_t *)stacks->last.items)[block] = ft_slots_push(slots);
    return FT_OK;
}

/* All but the newest blocks of a set go to slots. */
static int deepen(struct ft_set_stacks *stacks, struct set *set, uint64_t number,
                  struct ft_diag *diag)
{
    if (!FT_RESERVE(stacks->deep, stacks->deep_capacity, stacks->deep_count + 1))
        return ft_fail_memory(diag, "deep sets");
    struct ft_slots *slots = &stacks->deep[stacks->deep_count];
    *slots = (struct ft_slots){0};
    stacks->deep_count++;
    set->deep = (uint16_t)stacks->deep_count;
    int status = ft_set_stacks_reserve(stacks, stacks->block_count, diag);
    if (status == FT_OK)
        status = ft_slots_reset(slots, 4 * SHALLOW_MAX, 0, diag);
    while (status == FT_OK && set->count > DEEP_FRONT)
        status = push_deep(stacks, slots, number, set->front[--set->count], diag);
    return status;
}

/* ---- touches ---- */

/* Where the block stands, or count. */
static uint32_t find(const uint32_t *front, uint32_t count, uint32_t block)
{
    uint32_t i = 0;
    for (; i + 16 <= count; i += 16) {
        uint32_t any = 0;
        for (uint32_t j = 0; j < 16; j++)
            any |= front[i + j] == block;
        if (any)
            break;
    }
    while (i < count && front[i] != block)
        i++;
    return i;
}

static void move_to_front(struct set *set, uint32_t from, uint32_t block)
{
    memmove(set->front + 1, set->front, from * sizeof *set->front);
    set->front[0] = block;
}

static int touch_deep(struct ft_set_stacks *stacks, struct set *set, uint64_t number,
                      uint32_t block, uint32_t *ret_distance, struct ft_diag *diag)
{
    struct ft_slots *slots = &stacks->deep[set->deep - 1];
    uint32_t *slot = (uint32_t *)stacks->last.items + block;
    *ret_distance = FT_STACK_COLD;
    if (*slot) {
        unsigned levels = ft_slots_levels(slots);
        *ret_distance =
            set->count + (uint32_t)(slots->live - 1) - ft_slots_rank(slots, *slot, levels);
        ft_slots_remove(slots, *slot, levels);
        *slot = 0;
    }
    uint32_t evicted = set->front[set->count - 1];
    move_to_front(set, set->count - 1, block);
    return push_deep(stacks, slots, number, evicted, diag);
}

static bool may_deepen(const struct ft_set_stacks *stacks, const struct set *set)
{
    return set->count >= SHALLOW_MAX && !set->deep && stacks->deep_count < DEEP_MAX &&
           stacks->set_bits <= stacks->dense_bits;
}

int ft_set_stacks_touch(struct ft_set_stacks *stacks, uint64_t number, uint32_t block,
                        uint32_t *ret_distance, struct ft_diag *diag)
{
    struct set *set = (struct set *)stacks->sets.items + number;
    uint32_t place = find(set->front, set->count, block);
    if (place < set->count) {
        *ret_distance = place;
        move_to_front(set, place, block);
        return FT_OK;
    }
    if (set->deep)
        return touch_deep(stacks, set, number, block, ret_distance, diag);
    int status = FT_OK;
    *ret_distance = FT_STACK_COLD;
    if (!set->front || set->count == UINT32_C(1) << set->capacity_log)
        status = grow_front(stacks, set, diag);
    if (status != FT_OK)
        return status;
    move_to_front(set, set->count++, block);
    return may_deepen(stacks, set) ? deepen(stacks, set, number, diag) : FT_OK;
}
