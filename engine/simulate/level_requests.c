/*
 * A request for a block goes down its chain by recursion; what it displaces goes down in a loop.
 * Only exclusive levels are not asked but looked into: they hand a block over, or are passed by.
 */
#include "engine/simulate/level_requests.h"

static const struct ft_behaviour *behaviour_of(const struct ft_level_node *node)
{
    return &node->result->level->behaviour;
}

static bool is_exclusive(const struct ft_level_graph *graph, uint32_t index)
{
    return index != FT_NO_NODE && behaviour_of(&graph->nodes[index])->inclusion == FT_EXCLUSIVE;
}

/* ---- what leaves a level ---- */

/* Takes the blocks of a piece of memory out of all nodes before one; whether one was dirty. */
static bool invalidate_before(struct ft_level_graph *graph, const struct ft_level_node *beyond,
                              uint64_t address, uint64_t bytes)
{
    bool dirty = false;
    for (uint32_t i = 0; i < beyond->before_count; i++) {
        struct ft_level_node *node = &graph->nodes[graph->before[beyond->before_first + i]];
        uint64_t block = address >> node->shift;
        for (uint64_t count = bytes >> node->shift; count > 0; count--, block++) {
            uint64_t place = ft_level_store_find(&node->store, block);
            if (place == FT_NO_PLACE)
                continue;
            dirty |= node->store.flags[place] & FT_BLOCK_DIRTY;
            ft_level_store_remove(&node->store, place);
            node->result->traffic.invalidations++;
        }
        dirty |= invalidate_before(graph, node, address, bytes);
    }
    return dirty;
}

void ft_level_write_back(struct ft_level_graph *graph, uint32_t index, uint64_t address)
{
    for (; index != FT_NO_NODE; index = graph->nodes[index].next) {
        struct ft_level_node *node = &graph->nodes[index];
        uint64_t place = ft_level_store_find(&node->store, address >> node->shift);
        if (place == FT_NO_PLACE || behaviour_of(node)->write == FT_WRITE_THROUGH)
            continue;
        node->store.flags[place] |= FT_BLOCK_DIRTY;
        return;
    }
    graph->memory_writes++;
}

/* Where several nodes evict into an exclusive one, it may have the block already, and uses it. */
static bool has_already(struct ft_level_node *node, uint64_t block, uint8_t flags)
{
    uint64_t place = ft_level_store_find(&node->store, block);
    if (place == FT_NO_PLACE)
        return false;
    place = ft_level_store_use(&node->store, place);
    node->store.flags[place] |= flags;
    return true;
}

/* Puts a block into a node; what has to go for it goes to the next, and so on. */
static void insert(struct ft_level_graph *graph, uint32_t index, uint64_t block, uint8_t flags)
{
    for (;;) {
        struct ft_level_node *node = &graph->nodes[index];
        uint64_t evicted;
        uint8_t evicted_flags;
        if (!ft_level_store_insert(&node->store, block, flags, &evicted, &evicted_flags))
            return;
        node->result->traffic.evictions++;
        uint64_t address = evicted << node->shift;
        if (behaviour_of(node)->inclusion == FT_INCLUSIVE &&
            invalidate_before(graph, node, address, UINT64_C(1) << node->shift))
            evicted_flags |= FT_BLOCK_DIRTY;
        bool dirty = evicted_flags & FT_BLOCK_DIRTY;
        node->result->traffic.write_backs += dirty;
        index = node->next;
        if (!is_exclusive(graph, index)) {
            if (dirty)
                ft_level_write_back(graph, index, address);
            return;
        }
        block = evicted; /* an exclusive level takes all that the one before evicts */
        flags = evicted_flags & FT_BLOCK_DIRTY;
        if (has_already(&graph->nodes[index], block, flags))
            return;
    }
}

/* ---- what a level asks for ---- */

static void count_access(struct ft_level_node *node, const struct ft_demand *demand)
{
    if (!demand->prefetch)
        node->result->accesses[demand->reference]++;
}

static void count_miss(struct ft_level_graph *graph, struct ft_level_node *node,
                       const struct ft_demand *demand)
{
    graph->events++;
    if (!demand->prefetch)
        node->result->misses[demand->reference]++;
}

/* Gets a block from beyond a node that misses it; its flags. An exclusive level hands it over. */
static uint8_t get_from_beyond(struct ft_level_graph *graph, const struct ft_level_node *node,
                               const struct ft_demand *demand)
{
    while (is_exclusive(graph, node->next)) {
        struct ft_level_node *next = &graph->nodes[node->next];
        uint64_t place = ft_level_store_find(&next->store, demand->address >> next->shift);
        count_access(next, demand);
        if (place != FT_NO_PLACE) {
            uint8_t flags = next->store.flags[place];
            ft_level_store_remove(&next->store, place);
            return flags;
        }
        count_miss(graph, next, demand);
        node = next;
    }
    if (node->next != FT_NO_NODE)
        ft_level_request(graph, node->next, demand);
    else if (node->result->level->kind == FT_LEVEL_CACHE)
        graph->memory_reads++;
    return 0;
}

/* Fetches the block of an address into a node that does not have it yet. */
static void prefetch(struct ft_level_graph *graph, uint32_t index, uint64_t address)
{
    struct ft_level_node *node = &graph->nodes[index];
    struct ft_demand demand = {.address = address, .prefetch = true};
    if (ft_level_store_find(&node->store, address >> node->shift) != FT_NO_PLACE)
        return;
    node->result->traffic.prefetches++;
    uint8_t flags = get_from_beyond(graph, node, &demand);
    insert(graph, index, address >> node->shift, flags | FT_BLOCK_PREFETCHED);
}

static bool in_page(uint64_t left, uint64_t right)
{
    return left / FT_PREFETCH_PAGE_BYTES == right / FT_PREFETCH_PAGE_BYTES;
}

/* Wakes the prefetcher of a node: on a miss, or when a prefetched block is used first. */
static void wake_prefetcher(struct ft_level_graph *graph, uint32_t index,
                            const struct ft_demand *demand)
{
    struct ft_level_node *node = &graph->nodes[index];
    const struct ft_behaviour *behaviour = behaviour_of(node);
    uint64_t address = demand->address, step = UINT64_C(1) << node->shift;
    if (demand->prefetch || behaviour->prefetch == FT_PREFETCH_NONE)
        return;
    if (behaviour->prefetch == FT_PREFETCH_STRIDE) {
        struct ft_stride_history *seen = &node->strides[demand->reference];
        step = address - seen->address;
        bool again = seen->seen == 2 && step == seen->stride && step != 0;
        *seen = (struct ft_stride_history){address, step, seen->seen ? 2 : 1};
        if (!again)
            return;
    }
    for (uint32_t i = 1; i <= behaviour->prefetch_blocks; i++)
        if (in_page(address + i * step, address))
            prefetch(graph, index, address + i * step);
}

/* A block that is there is used; true where a prefetcher had fetched it for this. */
static bool use(struct ft_level_graph *graph, struct ft_level_node *node, uint64_t place,
                const struct ft_demand *demand, uint8_t flags)
{
    place = ft_level_store_use(&node->store, place);
    node->store.flags[place] |= flags;
    if (demand->prefetch || !(node->store.flags[place] & FT_BLOCK_PREFETCHED))
        return false;
    node->store.flags[place] &= (uint8_t)~FT_BLOCK_PREFETCHED;
    node->result->traffic.useful_prefetches++;
    graph->events++;
    return true;
}

void ft_level_request(struct ft_level_graph *graph, uint32_t index, const struct ft_demand *demand)
{
    struct ft_level_node *node = &graph->nodes[index];
    uint64_t block = demand->address >> node->shift;
    uint64_t place = ft_level_store_find(&node->store, block);
    count_access(node, demand);
    if (place != FT_NO_PLACE) {
        if (use(graph, node, place, demand, 0))
            wake_prefetcher(graph, index, demand);
        return;
    }
    count_miss(graph, node, demand);
    insert(graph, index, block, get_from_beyond(graph, node, demand));
    wake_prefetcher(graph, index, demand);
}

void ft_level_store_to(struct ft_level_graph *graph, uint32_t index, const struct ft_demand *demand)
{
    if (index == FT_NO_NODE) {
        graph->memory_writes++;
        return;
    }
    struct ft_level_node *node = &graph->nodes[index];
    const struct ft_behaviour *behaviour = behaviour_of(node);
    uint64_t block = demand->address >> node->shift;
    uint64_t place = ft_level_store_find(&node->store, block);
    bool through = behaviour->write == FT_WRITE_THROUGH, wake = true;
    uint8_t dirty = through ? 0 : FT_BLOCK_DIRTY;
    count_access(node, demand);
    if (place != FT_NO_PLACE) {
        wake = use(graph, node, place, demand, dirty);
    } else {
        count_miss(graph, node, demand);
        if (behaviour->write_miss == FT_WRITE_AROUND)
            through = true;
        else
            insert(graph, index, block, get_from_beyond(graph, node, demand) | dirty);
    }
    if (through)
        ft_level_store_to(graph, node->next, demand);
    if (wake)
        wake_prefetcher(graph, index, demand);
}
