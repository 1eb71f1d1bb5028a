/*
 * One order by recency for all capacities (Mattson et al. 1970: the contents of each cache are its
 * first blocks). The newest blocks stand in a list, the others have time slots.
 *
 * A block in the list knows how many of the caches it is too old for; each cache that is no larger
 * than the list has a marker, the oldest block that it holds. A touch moves its block to the front,
 * and the caches that missed it lose their marker, which is one block older from then on. So a
 * touch in the list costs O(1) for each cache that misses, and memory that fits into L2.
 *
 * A block that leaves the list takes the next slot (engine/reuse/stacks/slots.h), whose rank gives
 * its distance. Slots that run out are numbered again.
 */
#include <stdlib.h>

#include "engine/reuse/stacks/slots.h"
#include "engine/simulate/cache.h"
#include "formats/base/array.h"

#define LIST_BLOCKS     1024U
#define TAGS_AHEAD      40U /* that are prefetched, later their slots */
#define SLOTS_AHEAD     14U
#define SLOTS_MIN       (UINT64_C(1) << 14)
#define SLOTS_PER_BLOCK 4U

/* Nodes of the list; END is before the newest and behind the oldest. */
enum { END = 0, NODE_MAX = LIST_BLOCKS + 1 };

struct node {
    uint32_t tag;
    uint32_t newer, older;
    uint32_t too_old_for; /* caches, the smallest first */
};

struct cache {
    uint64_t blocks;
    uint32_t marker; /* node; once the list is as long */
    uint64_t *misses;
};

struct ft_lru_stack {
    /* uint32_t [tag]: 0: never touched; up to NODE_MAX: its node; beyond: NODE_MAX + its slot */
    struct ft_zero_array where;
    uint64_t tag_count;
    struct node nodes[NODE_MAX + 1];
    uint32_t free_node, length; /* of the list */
    struct cache *caches;       /* ascending */
    size_t cache_count, cache_capacity, marker_count;
    struct ft_slots slots;
};

int ft_lru_stack_create(struct ft_lru_stack **ret_stack, struct ft_diag *diag)
{
    struct ft_lru_stack *stack = calloc(1, sizeof *stack);
    if (!stack)
        return ft_fail_memory(diag, "a cache");
    stack->free_node = 1;
    int status = ft_slots_reset(&stack->slots, SLOTS_MIN, 0, diag);
    if (status != FT_OK) {
        ft_lru_stack_destroy(stack);
        return status;
    }
    *ret_stack = stack;
    return FT_OK;
}

void ft_lru_stack_destroy(struct ft_lru_stack *stack)
{
    if (!stack)
        return;
    ft_zero_array_fini(&stack->where);
    ft_slots_fini(&stack->slots);
    free(stack->caches);
    free(stack);
}

int ft_lru_stack_add_cache(struct ft_lru_stack *stack, uint64_t blocks, uint64_t *misses,
                           struct ft_diag *diag)
{
    if (!FT_RESERVE(stack->caches, stack->cache_capacity, stack->cache_count + 1))
        return ft_fail_memory(diag, "a cache");
    size_t index = stack->cache_count++;
    for (; index > 0 && stack->caches[index - 1].blocks > blocks; index--)
        stack->caches[index] = stack->caches[index - 1];
    stack->caches[index] = (struct cache){.blocks = blocks, .misses = misses};
    stack->marker_count += blocks <= LIST_BLOCKS;
    return FT_OK;
}

int ft_lru_stack_reserve(struct ft_lru_stack *stack, uint64_t tag_count, struct ft_diag *diag)
{
    if (tag_count > FT_CACHE_TAGS_MAX)
        return ft_fail(diag, FT_ERROR_UNSUPPORTED, "more than 2^32 blocks are touched");
    stack->tag_count = tag_count;
    return ft_zero_array_reserve(&stack->where, tag_count * sizeof(uint32_t), diag);
}

uint64_t ft_lru_stack_blocks(const struct ft_lru_stack *stack)
{
    return stack->length + stack->slots.live;
}

/* ---- slots ---- */

/* Their order stays. */
static int renumber(struct ft_lru_stack *stack, struct ft_diag *diag)
{
    struct ft_slots *slots = &stack->slots;
    uint32_t *where = stack->where.items;
    const unsigned levels = ft_slots_levels(slots);
    for (uint64_t tag = 0; tag < stack->tag_count; tag++)
        if (where[tag] > NODE_MAX)
            where[tag] = NODE_MAX + ft_slots_rank(slots, where[tag] - NODE_MAX, levels) + 1;
    uint64_t capacity = SLOTS_MIN;
    while (capacity < SLOTS_PER_BLOCK * slots->live || capacity < stack->tag_count / 4)
        capacity *= 2;
    if (capacity > FT_SLOTS_MAX)
        return ft_fail(diag, FT_ERROR_UNSUPPORTED, "more than 2^30 blocks are touched");
    return ft_slots_reset(slots, capacity, slots->live, diag);
}

/* How many other blocks have been touched since a block that has a slot, which it loses. */
static uint64_t leave_slot(struct ft_lru_stack *stack, uint32_t slot)
{
    struct ft_slots *slots = &stack->slots;
    const unsigned levels = ft_slots_levels(slots);
    const uint64_t before = ft_slots_rank(slots, slot, levels);
    ft_slots_remove(slots, slot, levels);
    return LIST_BLOCKS + slots->live - before;
}

/* ---- the list ---- */

static void unlink_node(struct node *nodes, uint32_t node)
{
    nodes[nodes[node].newer].older = nodes[node].older;
    nodes[nodes[node].older].newer = nodes[node].newer;
}

static void push_newest(struct node *nodes, uint32_t node)
{
    const uint32_t before = nodes[END].older;
    nodes[node].newer = END;
    nodes[node].older = before;
    nodes[node].too_old_for = 0;
    nodes[before].newer = node;
    nodes[END].older = node;
}

/* The first `count` caches missed what is the newest now: their markers are too old for them. */
static void move_markers(struct ft_lru_stack *stack, size_t count)
{
    struct node *nodes = stack->nodes;
    for (size_t i = 0; i < count; i++) {
        struct cache *cache = &stack->caches[i];
        if (stack->length > cache->blocks) {
            nodes[cache->marker].too_old_for = (uint32_t)i + 1;
            cache->marker = nodes[cache->marker].newer;
        } else if (stack->length == cache->blocks) {
            cache->marker = nodes[END].newer;
        }
    }
}

static void count_misses(struct ft_lru_stack *stack, size_t count,
                         const struct ft_cache_touch *touch)
{
    for (size_t i = 0; i < count; i++)
        stack->caches[i].misses[touch->reference] += touch->weight;
}

static void touch_listed(struct ft_lru_stack *stack, uint32_t node,
                         const struct ft_cache_touch *touch)
{
    struct node *nodes = stack->nodes;
    const size_t missed = nodes[node].too_old_for;
    if (nodes[node].newer == END)
        return;
    for (size_t i = missed; i < stack->marker_count && stack->caches[i].marker == node; i++)
        stack->caches[i].marker = nodes[node].newer;
    unlink_node(nodes, node);
    push_newest(nodes, node);
    if (missed) {
        move_markers(stack, missed);
        count_misses(stack, missed, touch);
    }
}

/* Its oldest block leaves the list where that is full. */
static void trim_list(struct ft_lru_stack *stack)
{
    uint32_t *where = stack->where.items;
    const uint32_t oldest = stack->nodes[END].newer;
    stack->free_node = stack->length + 1;
    if (stack->length <= LIST_BLOCKS)
        return;
    unlink_node(stack->nodes, oldest);
    where[stack->nodes[oldest].tag] = NODE_MAX + ft_slots_push(&stack->slots);
    stack->free_node = oldest;
    stack->length--;
}

/* A block that is not in the list. */
static void touch_other(struct ft_lru_stack *stack, const struct ft_cache_touch *touch)
{
    uint32_t *where = (uint32_t *)stack->where.items + touch->tag;
    const uint32_t node = stack->free_node;
    size_t missed = stack->cache_count;
    if (*where) {
        const uint64_t distance = leave_slot(stack, *where - NODE_MAX);
        while (missed > stack->marker_count && stack->caches[missed - 1].blocks > distance)
            missed--;
    }
    count_misses(stack, missed, touch);
    *where = node;
    stack->nodes[node].tag = touch->tag;
    push_newest(stack->nodes, node);
    stack->length++;
    move_markers(stack, stack->marker_count);
    trim_list(stack);
}

/* ---- touches ---- */

/* Inline, or GCC 12 takes a function that only prefetches for one without effect. */
static inline __attribute__((always_inline)) void prefetch(const struct ft_lru_stack *stack,
                                                           const struct ft_cache_touch *touch)
{
    const uint32_t *where = stack->where.items;
    __builtin_prefetch(&where[touch[TAGS_AHEAD].tag], 1);
    const uint32_t slot = where[touch[SLOTS_AHEAD].tag] - NODE_MAX;
    if (slot < stack->slots.capacity) {
        __builtin_prefetch(stack->slots.bits + slot / 64, 1);
        __builtin_prefetch(stack->slots.per_64 + (slot >> 11 << 5), 1);
    }
}

int ft_lru_stack_take(struct ft_lru_stack *stack, const struct ft_cache_touch *touches,
                      size_t count, struct ft_diag *diag)
{
    const uint32_t *where = stack->where.items;
    for (size_t i = 0; i < count; i++) {
        const uint32_t node = where[touches[i].tag];
        if (i + TAGS_AHEAD < count)
            prefetch(stack, &touches[i]);
        if (node && node <= NODE_MAX) {
            touch_listed(stack, node, &touches[i]);
            continue;
        }
        if (stack->slots.next + NODE_MAX == stack->slots.capacity)
            FT_TRY(renumber(stack, diag));
        touch_other(stack, &touches[i]);
    }
    return FT_OK;
}
