/*
 * A request for a block goes down its chain by recursion; what it displaces goes down in a loop.
 * Only exclusive levels are not asked but looked into: they hand a block over, or are passed by.
 */
#include "engine/simulate/hierarchy/level_requests.h"

static const struct ft_behaviour *behaviour_of(const struct ft_level_node *node)
{
    return &node->result->level->behaviour;
}

static bool is_exclusive(const struct ft_level_graph *graph, uint32_t index)
{
    return index != FT_NO_NODE && behaviour_of(&graph->nodes[index])->inclusion == FT_EXCLUSIVE;
}

/* ---- what leaves a level ---- */

/* A dirty block that was invalidated: of several the one in the level nearest to a processor, of
 * the lowest core, at the lowest address. */
struct dirty_before {
    uint32_t node; /* FT_NO_NODE: none yet */
    uint32_t writer;
};

/* Takes the blocks of a piece of memory out of all nodes before one. */
static void invalidate_before(struct ft_level_graph *graph, const struct ft_level_node *beyond,
                              uint64_t address, uint64_t bytes, struct dirty_before *dirty)
{
    for (uint32_t i = 0; i < beyond->before_count; i++) {
        uint32_t index = graph->before[beyond->before_first + i];
        struct ft_level_node *node = &graph->nodes[index];
        uint64_t block = address >> node->shift;
        for (uint64_t count = bytes >> node->shift; count > 0; count--, block++) {
            uint64_t place = ft_level_store_find(&node->store, block);
            if (place == FT_NO_PLACE)
                continue;
            if (node->store.flags[place] & FT_BLOCK_DIRTY && index < dirty->node)
                *dirty = (struct dirty_before){index, node->store.writers[place]};
            ft_level_store_remove(&node->store, place);
            node->result->traffic.invalidations++;
        }
        invalidate_before(graph, node, address, bytes, dirty);
    }
}

/* A dirty block arrives from before a node: it becomes dirty in the first level that has it, which
 * does not use it, or goes to memory. */
static void write_back(struct ft_level_graph *graph, uint32_t index, uint64_t address,
                       uint32_t writer)
{
    for (; index != FT_NO_NODE; index = graph->nodes[index].next) {
        struct ft_level_node *node = &graph->nodes[index];
        uint64_t place = ft_level_store_find(&node->store, address >> node->shift);
        if (place == FT_NO_PLACE || behaviour_of(node)->write == FT_WRITE_THROUGH)
            continue;
        ft_level_store_write(&node->store, place, writer);
        return;
    }
    graph->memory_writes++;
}

/* Where several nodes evict into an exclusive one, it may have the block already, and uses it. */
static bool has_already(struct ft_level_node *node, const struct ft_moved_block *block)
{
    uint64_t place = ft_level_store_find(&node->store, block->block);
    if (place == FT_NO_PLACE)
        return false;
    place = ft_level_store_use(&node->store, place);
    if (block->flags & FT_BLOCK_DIRTY)
        ft_level_store_write(&node->store, place, block->writer);
    return true;
}

/* Puts a block into a node; what has to go for it goes to the next, and so on. */
static void insert(struct ft_level_graph *graph, uint32_t index, struct ft_moved_block block)
{
    for (;;) {
        struct ft_level_node *node = &graph->nodes[index];
        struct ft_moved_block evicted;
        if (!ft_level_store_insert(&node->store, &block, &evicted))
            return;
        node->result->traffic.evictions++;
        uint64_t address = evicted.block << node->shift;
        struct dirty_before before = {.node = FT_NO_NODE};
        if (behaviour_of(node)->inclusion == FT_INCLUSIVE)
            invalidate_before(graph, node, address, UINT64_C(1) << node->shift, &before);
        if (before.node != FT_NO_NODE) {
            evicted.flags |= FT_BLOCK_DIRTY;
            evicted.writer = before.writer;
        }
        if (evicted.flags & FT_BLOCK_DIRTY) {
            node->result->traffic.write_backs++;
            node->result->write_backs[evicted.writer]++;
        }
        index = node->next;
        if (!is_exclusive(graph, index)) {
            if (evicted.flags & FT_BLOCK_DIRTY)
                write_back(graph, index, address, evicted.writer);
            return;
        }
        block = evicted; /* an exclusive level takes all that the one before evicts */
        block.flags &= FT_BLOCK_DIRTY;
        if (graph->nodes[index].result->causes)
            ft_miss_shadow_insert(&graph->nodes[index].shadow, block.block);
        if (has_already(&graph->nodes[index], &block))
            return;
    }
}

/* ---- what a level asks for ---- */

/* Whether the node has the block or not; taking: what it does then. */
static void count_access(struct ft_level_graph *graph, struct ft_level_node *node,
                         const struct ft_demand *demand, bool is_hit, enum ft_miss_taking taking)
{
    struct ft_hierarchy_level *result = node->result;
    graph->events += !is_hit;
    if (demand->prefetch)
        return;
    result->accesses[demand->reference]++;
    result->misses[demand->reference] += !is_hit;
    if (!result->causes)
        return;
    const enum ft_miss_cause cause =
        ft_miss_shadow_ask(&node->shadow, demand->address >> node->shift, taking);
    result->causes[demand->reference * (size_t)FT_MISS_CAUSES + cause] += !is_hit;
}

/* Gets a block from beyond a node that misses it. An exclusive level hands it over as it is. */
static struct ft_moved_block get_from_beyond(struct ft_level_graph *graph,
                                             const struct ft_level_node *node,
                                             const struct ft_demand *demand)
{
    struct ft_moved_block block = {.block = demand->address >> node->shift};
    while (is_exclusive(graph, node->next)) {
        struct ft_level_node *next = &graph->nodes[node->next];
        uint64_t place = ft_level_store_find(&next->store, demand->address >> next->shift);
        count_access(graph, next, demand, place != FT_NO_PLACE, FT_MISS_HANDS_ON);
        if (place != FT_NO_PLACE) {
            block.flags = next->store.flags[place];
            block.writer = next->store.writers[place];
            ft_level_store_remove(&next->store, place);
            return block;
        }
        node = next;
    }
    if (node->next != FT_NO_NODE)
        ft_level_request(graph, node->next, demand);
    else if (node->result->level->kind == FT_LEVEL_CACHE)
        graph->memory_reads++;
    return block;
}

/* Where a prefetched block came from: memory, if that was read, or the level behind the node. */
static void note_prefetch(struct ft_level_graph *graph, const struct ft_level_node *node,
                          uint64_t address, bool from_memory)
{
    if (!graph->notes_prefetches || graph->prefetch_count == FT_PREFETCH_BLOCKS_MAX ||
        node->result->instruction || node->result->level->kind != FT_LEVEL_CACHE)
        return;
    graph->prefetches[graph->prefetch_count++] = (struct ft_hierarchy_prefetch){
        .address = address,
        .source = from_memory || node->next == FT_NO_NODE
                      ? SIZE_MAX
                      : (size_t)(graph->nodes[node->next].result - graph->results)};
}

/* Fetches the block of an address into a node that does not have it yet. */
static void prefetch(struct ft_level_graph *graph, uint32_t index, uint64_t address)
{
    struct ft_level_node *node = &graph->nodes[index];
    struct ft_demand demand = {.address = address, .prefetch = true};
    if (ft_level_store_find(&node->store, address >> node->shift) != FT_NO_PLACE)
        return;
    node->result->traffic.prefetches++;
    const uint64_t reads = graph->memory_reads;
    struct ft_moved_block block = get_from_beyond(graph, node, &demand);
    note_prefetch(graph, node, address, graph->memory_reads > reads);
    block.flags |= FT_BLOCK_PREFETCHED;
    insert(graph, index, block);
}

static bool in_page(uint64_t left, uint64_t right)
{
    return left / FT_PREFETCH_PAGE_BYTES == right / FT_PREFETCH_PAGE_BYTES;
}

/* Whose strides a reference goes on with. */
static uint32_t instruction_of(const struct ft_level_graph *graph, uint32_t reference)
{
    return graph->instructions ? graph->instructions[reference] : reference;
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
        struct ft_stride_history *seen = &node->strides[instruction_of(graph, demand->reference)];
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
                const struct ft_demand *demand, bool writes)
{
    place = ft_level_store_use(&node->store, place);
    if (writes)
        ft_level_store_write(&node->store, place, demand->reference);
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
    uint64_t place = ft_level_store_find(&node->store, demand->address >> node->shift);
    count_access(graph, node, demand, place != FT_NO_PLACE, FT_MISS_TAKES_IN);
    if (place != FT_NO_PLACE) {
        if (use(graph, node, place, demand, false))
            wake_prefetcher(graph, index, demand);
        return;
    }
    insert(graph, index, get_from_beyond(graph, node, demand));
    wake_prefetcher(graph, index, demand);
}

/* Gets a block that a store misses, as it is behind the store. */
static struct ft_moved_block get_for_store(struct ft_level_graph *graph,
                                           const struct ft_level_node *node,
                                           const struct ft_demand *demand)
{
    struct ft_moved_block block = get_from_beyond(graph, node, demand);
    if (behaviour_of(node)->write == FT_WRITE_THROUGH)
        return block;
    block.flags |= FT_BLOCK_DIRTY;
    block.writer = demand->reference;
    return block;
}

void ft_level_store_to(struct ft_level_graph *graph, uint32_t index, const struct ft_demand *demand)
{
    if (index == FT_NO_NODE) {
        graph->memory_writes++;
        return;
    }
    struct ft_level_node *node = &graph->nodes[index];
    const struct ft_behaviour *behaviour = behaviour_of(node);
    uint64_t place = ft_level_store_find(&node->store, demand->address >> node->shift);
    bool through = behaviour->write == FT_WRITE_THROUGH, wake = true;
    count_access(graph, node, demand, place != FT_NO_PLACE,
                 behaviour->write_miss == FT_WRITE_AROUND ? FT_MISS_USES : FT_MISS_TAKES_IN);
    if (place != FT_NO_PLACE) {
        wake = use(graph, node, place, demand, !through);
    } else {
        if (behaviour->write_miss == FT_WRITE_AROUND)
            through = true;
        else
            insert(graph, index, get_for_store(graph, node, demand));
    }
    if (through)
        ft_level_store_to(graph, node->next, demand);
    if (wake)
        wake_prefetcher(graph, index, demand);
}
