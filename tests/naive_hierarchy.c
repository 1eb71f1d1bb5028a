#include "tests/naive_hierarchy.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/random.h"

static void *zeros(size_t count, size_t bytes)
{
    void *items = calloc(count ? count : 1, bytes);
    if (!items)
        abort();
    return items;
}

static void add_level(struct naive_hierarchy *naive, const struct ft_level *level, uint64_t seed,
                      uint32_t references)
{
    uint64_t sets = level->blocks / level->ways;
    naive->levels[naive->level_count] = (struct naive_level){
        .level = level,
        .blocks = zeros(level->blocks, sizeof(struct naive_block)),
        .trees = zeros(sets * level->ways, sizeof(bool)),
        .sets = sets,
        .random = seed + naive->level_count,
        .accesses = zeros(references, sizeof(uint64_t)),
        .misses = zeros(references, sizeof(uint64_t)),
        .last_address = zeros(references, sizeof(uint64_t)),
        .last_step = zeros(references, sizeof(uint64_t)),
        .last_count = zeros(references, sizeof(unsigned)),
    };
    naive->level_count++;
}

/* The levels of one kind from `first` on are a chain; its first or NULL. */
static struct naive_level *chain(struct naive_hierarchy *naive, size_t first, size_t end)
{
    for (size_t i = first; i + 1 < end; i++)
        naive->levels[i].next = &naive->levels[i + 1];
    return first < end ? &naive->levels[first] : NULL;
}

void naive_init(struct naive_hierarchy *naive, const struct ft_machine *machine, uint64_t seed,
                uint32_t reference_count)
{
    memset(naive, 0, sizeof *naive);
    for (size_t i = 0; i < machine->level_count; i++)
        add_level(naive, &machine->levels[i], seed, reference_count);
    naive->caches = chain(naive, 0, machine->cache_count);
    naive->tlbs = chain(naive, machine->cache_count, machine->level_count);
}

void naive_fini(struct naive_hierarchy *naive)
{
    for (size_t i = 0; i < naive->level_count; i++) {
        struct naive_level *level = &naive->levels[i];
        free(level->blocks);
        free(level->trees);
        free(level->accesses);
        free(level->misses);
        free(level->last_address);
        free(level->last_step);
        free(level->last_count);
    }
}

static uint64_t number_of(const struct naive_level *level, uint64_t address)
{
    return address / level->level->block_bytes;
}

static struct naive_block *look_up(const struct naive_level *level, uint64_t address)
{
    for (uint64_t i = 0; i < level->level->blocks; i++)
        if (level->blocks[i].valid && level->blocks[i].number == number_of(level, address))
            return &level->blocks[i];
    return NULL;
}

/* The tree: halves are [low, high); the node of a half is found by counting splits. */
static void turn_tree(struct naive_level *level, uint64_t set, uint64_t way)
{
    uint64_t low = 0, high = level->level->ways, node = 1;
    while (high - low > 1) {
        uint64_t middle = (low + high) / 2;
        bool right = way >= middle;
        level->trees[set * level->level->ways + node] = !right;
        node = 2 * node + right;
        *(right ? &low : &high) = middle;
    }
}

static uint64_t oldest_by_tree(const struct naive_level *level, uint64_t set)
{
    uint64_t low = 0, high = level->level->ways, node = 1;
    while (high - low > 1) {
        bool right = level->trees[set * level->level->ways + node];
        node = 2 * node + right;
        *(right ? &low : &high) = (low + high) / 2;
    }
    return low;
}

static void mark_used(struct naive_hierarchy *naive, struct naive_level *level,
                      struct naive_block *block)
{
    uint64_t place = (uint64_t)(block - level->blocks), ways = level->level->ways;
    block->used = ++naive->now;
    if (level->level->behaviour.replacement == FT_REPLACE_PLRU)
        turn_tree(level, place / ways, place % ways);
}

static bool is_exclusive(const struct naive_level *level)
{
    return level && level->level->behaviour.inclusion == FT_EXCLUSIVE;
}

/* Every level whose misses come to `level`, directly or not. */
static bool drop_before(struct naive_hierarchy *naive, const struct naive_level *level,
                        uint64_t start, uint64_t bytes)
{
    bool dirty = false;
    for (size_t i = 0; i < naive->level_count; i++) {
        struct naive_level *before = &naive->levels[i];
        const struct naive_level *beyond = before->next;
        while (beyond && beyond != level)
            beyond = beyond->next;
        for (uint64_t j = 0; beyond && j < before->level->blocks; j++) {
            struct naive_block *block = &before->blocks[j];
            uint64_t address = block->number * before->level->block_bytes;
            if (!block->valid || address < start || address - start >= bytes)
                continue;
            dirty |= block->dirty;
            block->valid = false;
            before->traffic.invalidations++;
        }
    }
    return dirty;
}

static void come_back_dirty(struct naive_hierarchy *naive, struct naive_level *level,
                            uint64_t address)
{
    struct naive_block *block;
    if (!level) {
        naive->memory_writes++;
    } else if (!(block = look_up(level, address))) {
        come_back_dirty(naive, level->next, address);
    } else {
        if (level->level->behaviour.write == FT_WRITE_THROUGH)
            come_back_dirty(naive, level->next, address);
        else
            block->dirty = true;
    }
}

static struct naive_block *make_room(struct naive_level *level, uint64_t number)
{
    uint64_t set = number % level->sets, ways = level->level->ways, way = 0;
    struct naive_block *row = &level->blocks[set * ways];
    for (uint64_t i = 0; i < ways; i++)
        if (!row[i].valid)
            return &row[i];
    switch (level->level->behaviour.replacement) {
    case FT_REPLACE_PLRU:
        way = oldest_by_tree(level, set);
        break;
    case FT_REPLACE_RANDOM:
        way = random_next(&level->random) % ways;
        break;
    default:
        for (uint64_t i = 1; i < ways; i++)
            if (row[i].used < row[way].used)
                way = i;
    }
    return &row[way];
}

static void take_in(struct naive_hierarchy *naive, struct naive_level *level, uint64_t address,
                    bool dirty, bool prefetched)
{
    struct naive_block *block = make_room(level, number_of(level, address)), old = *block;
    *block = (struct naive_block){
        .number = number_of(level, address),
        .valid = true,
        .dirty = dirty,
        .prefetched = prefetched,
    };
    mark_used(naive, level, block);
    if (!old.valid)
        return;
    uint64_t bytes = level->level->block_bytes, start = old.number * bytes;
    level->traffic.evictions++;
    if (level->level->behaviour.inclusion == FT_INCLUSIVE)
        old.dirty |= drop_before(naive, level, start, bytes);
    level->traffic.write_backs += old.dirty;
    if (is_exclusive(level->next))
        take_in(naive, level->next, start, old.dirty, false);
    else if (old.dirty)
        come_back_dirty(naive, level->next, start);
}

static void need(struct naive_hierarchy *naive, struct naive_level *level, uint32_t reference,
                 uint64_t address, bool store, bool prefetcher);

/* From beyond a level; whether it comes dirty. */
static bool get(struct naive_hierarchy *naive, struct naive_level *level, uint32_t reference,
                uint64_t address, bool prefetcher)
{
    struct naive_level *next = level->next;
    if (!next) {
        naive->memory_reads += level->level->kind == FT_LEVEL_CACHE;
        return false;
    }
    if (!is_exclusive(next)) {
        need(naive, next, reference, address, false, prefetcher);
        return false;
    }
    struct naive_block *block = look_up(next, address);
    next->accesses[reference] += !prefetcher;
    next->misses[reference] += !prefetcher && !block;
    if (!block)
        return get(naive, next, reference, address, prefetcher);
    block->valid = false;
    return block->dirty;
}

static void wake(struct naive_hierarchy *naive, struct naive_level *level, uint32_t reference,
                 uint64_t address)
{
    const struct ft_behaviour *behaviour = &level->level->behaviour;
    uint64_t step = level->level->block_bytes;
    if (behaviour->prefetch == FT_PREFETCH_NONE)
        return;
    if (behaviour->prefetch == FT_PREFETCH_STRIDE) {
        unsigned *count = &level->last_count[reference];
        step = address - level->last_address[reference];
        bool same = *count == 2 && step == level->last_step[reference] && step != 0;
        *count += *count < 2;
        level->last_address[reference] = address;
        level->last_step[reference] = step;
        if (!same)
            return;
    }
    for (uint32_t i = 1; i <= behaviour->prefetch_blocks; i++) {
        uint64_t target = address + i * step;
        if (target / FT_PREFETCH_PAGE_BYTES != address / FT_PREFETCH_PAGE_BYTES ||
            look_up(level, target))
            continue;
        level->traffic.prefetches++;
        bool dirty = get(naive, level, reference, target, true);
        take_in(naive, level, target, dirty, true);
    }
}

static void need(struct naive_hierarchy *naive, struct naive_level *level, uint32_t reference,
                 uint64_t address, bool store, bool prefetcher)
{
    if (!level) {
        naive->memory_writes += store;
        return;
    }
    const struct ft_behaviour *behaviour = &level->level->behaviour;
    bool back = behaviour->write == FT_WRITE_BACK, around = false, woken = true;
    struct naive_block *block = look_up(level, address);
    level->accesses[reference] += !prefetcher;
    if (block) {
        woken = block->prefetched && !prefetcher;
        level->traffic.useful_prefetches += woken;
        block->prefetched = block->prefetched && prefetcher;
        block->dirty |= store && back;
        mark_used(naive, level, block);
    } else {
        level->misses[reference] += !prefetcher;
        around = store && behaviour->write_miss == FT_WRITE_AROUND;
        if (!around) {
            bool dirty = get(naive, level, reference, address, prefetcher);
            take_in(naive, level, address, dirty || (store && back), false);
        }
    }
    if (store && (!back || around))
        need(naive, level->next, reference, address, true, false);
    if (woken && !prefetcher)
        wake(naive, level, reference, address);
}

/* Each block that the access covers at the first level of a chain. */
static void walk(struct naive_hierarchy *naive, struct naive_level *level, uint32_t reference,
                 uint64_t address, uint64_t size_bytes, bool store)
{
    if (!level)
        return;
    uint64_t last = (address + size_bytes - 1) / level->level->block_bytes;
    for (uint64_t block = address / level->level->block_bytes; block <= last; block++) {
        uint64_t start = block * level->level->block_bytes;
        need(naive, level, reference, start > address ? start : address, store, false);
    }
}

void naive_access(struct naive_hierarchy *naive, const struct ft_reference *reference,
                  uint32_t index, uint64_t address)
{
    uint64_t size_bytes = reference->size_bytes ? reference->size_bytes : 1;
    bool store = reference->kind == FT_STORE || reference->kind == FT_STORE_NONTEMPORAL;
    walk(naive, naive->tlbs, index, address, size_bytes, false);
    walk(naive, naive->caches, index, address, size_bytes, store);
}

static bool differs(const char *what, const struct naive_level *level, uint64_t wanted,
                    uint64_t got, char text[200])
{
    if (wanted == got)
        return false;
    snprintf(text, 200, "%s of %s: %llu, naively %llu", what, level->level->name,
             (unsigned long long)got, (unsigned long long)wanted);
    return true;
}

bool naive_same(const struct naive_hierarchy *naive, const struct ft_hierarchy *hierarchy,
                uint32_t reference_count, char text[200])
{
    text[0] = 0;
    for (size_t i = 0; i < naive->level_count; i++) {
        const struct naive_level *level = &naive->levels[i];
        const struct ft_hierarchy_level *got = ft_hierarchy_level(hierarchy, i);
        const struct ft_level_traffic *a = &level->traffic, *b = &got->traffic;
        for (uint32_t j = 0; j < reference_count; j++)
            if (differs("accesses", level, level->accesses[j], got->accesses[j], text) ||
                differs("misses", level, level->misses[j], got->misses[j], text))
                return false;
        if (differs("evictions", level, a->evictions, b->evictions, text) ||
            differs("write-backs", level, a->write_backs, b->write_backs, text) ||
            differs("invalidations", level, a->invalidations, b->invalidations, text) ||
            differs("prefetches", level, a->prefetches, b->prefetches, text) ||
            differs("useful prefetches", level, a->useful_prefetches, b->useful_prefetches, text))
            return false;
    }
    return !differs("reads from memory behind", &naive->levels[0], naive->memory_reads,
                    ft_hierarchy_memory_reads(hierarchy), text) &&
           !differs("writes to memory behind", &naive->levels[0], naive->memory_writes,
                    ft_hierarchy_memory_writes(hierarchy), text);
}
