/*
 * In this order: which copies of which levels a machine has, and which one a miss goes to next;
 * blocks in sets, with their times of last use; what hits, evictions and write-backs change; how a
 * level gets a block, from below or from a level it excludes, and what its prefetcher adds; one
 * access of a core; the comparison with the engine's result.
 */
#include "tests/support/reference_hierarchy.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/random.h"

static void *zeros(size_t count, size_t bytes)
{
    void *items = calloc(count ? count : 1, bytes);
    if (!items)
        abort();
    return items;
}

/* ---- levels ---- */

/* Numbers as in the engine: data caches, data TLBs, instruction caches, instruction TLBs. */
static const struct ft_level *level_at(const struct ft_machine *machine, size_t number)
{
    return number < machine->level_count
               ? &machine->levels[number]
               : &machine->instruction_levels[number - machine->level_count];
}

static void add_copy(struct reference_hierarchy *expected, size_t number, uint32_t copy,
                     uint32_t cores, uint64_t seed, uint32_t references)
{
    const struct ft_level *level = level_at(expected->machine, number);
    uint32_t last = (copy + 1) * level->shared_by - 1;
    uint64_t sets = level->blocks / level->ways;
    if (expected->level_count == REFERENCE_COPIES_MAX)
        abort();
    expected->levels[expected->level_count++] = (struct reference_level){
        .level = level,
        .number = number,
        .first_core = copy * level->shared_by,
        .last_core = last < cores ? last : cores - 1,
        .figures = &expected->figures[number],
        .blocks = zeros(level->blocks, sizeof(struct reference_cache_block)),
        .trees = zeros(sets * level->ways, sizeof(bool)),
        .sets = sets,
        .random = seed + number + ((uint64_t)copy << 32),
        .last_address = zeros(references, sizeof(uint64_t)),
        .last_step = zeros(references, sizeof(uint64_t)),
        .last_count = zeros(references, sizeof(unsigned)),
        .recent = zeros(level->blocks + 1, sizeof(uint64_t)),
    };
}

/* The copy of a level that a core has. */
static struct reference_level *level_of(struct reference_hierarchy *expected, size_t number,
                                        uint32_t core)
{
    for (size_t i = 0; i < expected->level_count; i++)
        if (expected->levels[i].number == number && expected->levels[i].first_core <= core &&
            core <= expected->levels[i].last_core)
            return &expected->levels[i];
    return NULL;
}

static bool is_instruction_level(const struct reference_hierarchy *expected, size_t number)
{
    return number >= expected->machine->level_count;
}

/* Where a level's misses go: to the next of its kind and content; from the last instruction level
 * to the first unified one. */
static struct reference_level *next_of(struct reference_hierarchy *expected,
                                       const struct reference_level *level)
{
    for (size_t n = level->number + 1; n < expected->figure_count; n++)
        if (level_at(expected->machine, n)->kind == level->level->kind &&
            is_instruction_level(expected, n) == is_instruction_level(expected, level->number))
            return level_of(expected, n, level->first_core);
    for (size_t n = 0; is_instruction_level(expected, level->number) && n < expected->figure_count;
         n++)
        if (level_at(expected->machine, n)->kind == level->level->kind &&
            level_at(expected->machine, n)->behaviour.unified)
            return level_of(expected, n, level->first_core);
    return NULL;
}

static struct reference_level *first_of(struct reference_hierarchy *expected,
                                        enum ft_level_kind kind, bool fetch, uint32_t core)
{
    for (size_t n = 0; n < expected->figure_count; n++)
        if (level_at(expected->machine, n)->kind == kind &&
            is_instruction_level(expected, n) == fetch)
            return level_of(expected, n, core);
    return NULL;
}

void reference_hierarchy_init(struct reference_hierarchy *expected,
                              const struct ft_machine *machine, uint32_t cores, uint64_t seed,
                              uint32_t reference_count)
{
    memset(expected, 0, sizeof *expected);
    expected->machine = machine;
    expected->figure_count = machine->level_count + machine->instruction_level_count;
    for (size_t n = 0; n < expected->figure_count; n++) {
        expected->figures[n] = (struct reference_level_metrics){
            .level = level_at(machine, n),
            .accesses = zeros(reference_count, sizeof(uint64_t)),
            .misses = zeros(reference_count, sizeof(uint64_t)),
            .write_backs = zeros(reference_count, sizeof(uint64_t)),
            .causes = zeros(reference_count, sizeof(uint64_t[FT_MISS_CAUSES])),
        };
        for (uint32_t copy = 0; copy * level_at(machine, n)->shared_by < cores; copy++)
            add_copy(expected, n, copy, cores, seed, reference_count);
    }
    for (size_t i = 0; i < expected->level_count; i++)
        expected->levels[i].next = next_of(expected, &expected->levels[i]);
}

void reference_hierarchy_fini(struct reference_hierarchy *expected)
{
    for (size_t n = 0; n < expected->figure_count; n++) {
        free(expected->figures[n].accesses);
        free(expected->figures[n].misses);
        free(expected->figures[n].write_backs);
        free(expected->figures[n].causes);
    }
    for (size_t i = 0; i < expected->level_count; i++) {
        struct reference_level *level = &expected->levels[i];
        free(level->blocks);
        free(level->trees);
        free(level->last_address);
        free(level->last_step);
        free(level->last_count);
        free(level->recent);
        free(level->asked);
        ft_hash_table_fini(&level->asked_of);
    }
}

/* ---- blocks ---- */

static uint64_t number_of(const struct reference_level *level, uint64_t address)
{
    return address / level->level->block_bytes;
}

static struct reference_cache_block *look_up(const struct reference_level *level, uint64_t address)
{
    const uint64_t number = number_of(level, address), ways = level->level->ways;
    struct reference_cache_block *row = &level->blocks[number % level->sets * ways];
    for (uint64_t i = 0; i < ways; i++)
        if (row[i].valid && row[i].number == number)
            return &row[i];
    return NULL;
}

/* The tree: halves are [low, high); the node of a half is found by counting splits. */
static void turn_tree(struct reference_level *level, uint64_t set, uint64_t way)
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

static uint64_t oldest_by_tree(const struct reference_level *level, uint64_t set)
{
    uint64_t low = 0, high = level->level->ways, node = 1;
    while (high - low > 1) {
        bool right = level->trees[set * level->level->ways + node];
        node = 2 * node + right;
        *(right ? &low : &high) = (low + high) / 2;
    }
    return low;
}

static void mark_used(struct reference_hierarchy *expected, struct reference_level *level,
                      struct reference_cache_block *block)
{
    uint64_t place = (uint64_t)(block - level->blocks), ways = level->level->ways;
    block->used = ++expected->now;
    if (level->level->behaviour.replacement == FT_REPLACE_PLRU)
        turn_tree(level, place / ways, place % ways);
}

static bool is_exclusive(const struct reference_level *level)
{
    return level && level->level->behaviour.inclusion == FT_EXCLUSIVE;
}

/* ---- why levels miss ---- */

static bool is_among(const uint64_t *numbers, uint64_t count, uint64_t number)
{
    for (uint64_t i = 0; i < count; i++)
        if (numbers[i] == number)
            return true;
    return false;
}

static void drop_recent(struct reference_level *level, uint64_t number)
{
    uint64_t kept = 0;
    for (uint64_t i = 0; i < level->recent_count; i++)
        if (level->recent[i] != number)
            level->recent[kept++] = level->recent[i];
    level->recent_count = kept;
}

static void push_recent(struct reference_level *level, uint64_t number)
{
    drop_recent(level, number);
    memmove(level->recent + 1, level->recent, level->recent_count * sizeof *level->recent);
    level->recent[0] = number;
    if (level->recent_count < level->level->blocks)
        level->recent_count++;
}

/* Whether the program has never asked for the block; from now on it has. */
static bool ask_first(struct reference_level *level, uint64_t number)
{
    const uint64_t hash = ft_hash_mix(number);
    uint32_t i;
    for (size_t probe = hash; ft_hash_next(&level->asked_of, hash, &probe, &i);)
        if (level->asked[i] == number)
            return false;
    level->asked = realloc(level->asked, (level->asked_count + 1) * sizeof *level->asked);
    if (!level->asked || !ft_hash_table_add(&level->asked_of, hash, (uint32_t)level->asked_count))
        abort();
    level->asked[level->asked_count++] = number;
    return true;
}

/* The program asks a level; is_missed: which does not have the block. */
static void note_request(struct reference_level *level, uint32_t reference, uint64_t address,
                         bool is_missed, bool around)
{
    const uint64_t number = number_of(level, address);
    const bool is_recent = is_among(level->recent, level->recent_count, number);
    enum ft_miss_cause cause = is_recent ? FT_MISS_CONFLICT : FT_MISS_CAPACITY;
    level->figures->accesses[reference]++;
    level->figures->misses[reference] += is_missed;
    if (ask_first(level, number))
        cause = FT_MISS_COLD;
    level->figures->causes[reference][cause] += is_missed;
    if (is_exclusive(level))
        drop_recent(level, number);
    else if (!around || is_recent)
        push_recent(level, number);
}

/* Of every level whose misses come to `level`, directly or not; the first dirty block, by level,
 * core and address, makes `old` dirty. */
static void drop_before(struct reference_hierarchy *expected, const struct reference_level *level,
                        uint64_t start, uint64_t bytes, struct reference_cache_block *old)
{
    struct reference_cache_block *first = NULL;
    for (size_t i = 0; i < expected->level_count; i++) {
        struct reference_level *before = &expected->levels[i];
        const struct reference_level *beyond = before->next;
        struct reference_cache_block *here = NULL;
        while (beyond && beyond != level)
            beyond = beyond->next;
        for (uint64_t j = 0; beyond && j < before->level->blocks; j++) {
            struct reference_cache_block *block = &before->blocks[j];
            uint64_t address = block->number * before->level->block_bytes;
            if (!block->valid || address < start || address - start >= bytes)
                continue;
            if (block->dirty && (!here || block->number < here->number))
                here = block;
            block->valid = false;
            before->figures->traffic.invalidations++;
        }
        first = first ? first : here;
    }
    if (first) {
        old->dirty = true;
        old->writer = first->writer;
    }
}

static void come_back_dirty(struct reference_hierarchy *expected, struct reference_level *level,
                            uint64_t address, uint32_t writer)
{
    struct reference_cache_block *block;
    if (!level) {
        expected->memory_writes++;
    } else if (!(block = look_up(level, address))) {
        come_back_dirty(expected, level->next, address, writer);
    } else if (level->level->behaviour.write == FT_WRITE_THROUGH) {
        come_back_dirty(expected, level->next, address, writer);
    } else {
        block->dirty = true;
        block->writer = writer;
    }
}

static struct reference_cache_block *make_room(struct reference_level *level, uint64_t number)
{
    uint64_t set = number % level->sets, ways = level->level->ways, way = 0;
    struct reference_cache_block *row = &level->blocks[set * ways];
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

/* What is taken in: number and time of use are set here. */
static void take_in(struct reference_hierarchy *expected, struct reference_level *level,
                    uint64_t address, struct reference_cache_block taken)
{
    struct reference_cache_block *block = look_up(level, address);
    if (is_exclusive(level))
        push_recent(level, number_of(level, address));
    if (block) { /* another level has evicted it to here before */
        if (taken.dirty) {
            block->dirty = true;
            block->writer = taken.writer;
        }
        mark_used(expected, level, block);
        return;
    }
    block = make_room(level, number_of(level, address));
    struct reference_cache_block old = *block;
    *block = taken;
    block->number = number_of(level, address);
    block->valid = true;
    mark_used(expected, level, block);
    if (!old.valid)
        return;
    uint64_t bytes = level->level->block_bytes, start = old.number * bytes;
    level->figures->traffic.evictions++;
    if (level->level->behaviour.inclusion == FT_INCLUSIVE)
        drop_before(expected, level, start, bytes, &old);
    level->figures->traffic.write_backs += old.dirty;
    if (old.dirty)
        level->figures->write_backs[old.writer]++;
    if (is_exclusive(level->next))
        take_in(expected, level->next, start,
                (struct reference_cache_block){.dirty = old.dirty, .writer = old.writer});
    else if (old.dirty)
        come_back_dirty(expected, level->next, start, old.writer);
}

static void need(struct reference_hierarchy *expected, struct reference_level *level,
                 uint32_t reference, uint64_t address, bool store, bool prefetcher);

/* From beyond a level, dirty or not. */
static struct reference_cache_block get(struct reference_hierarchy *expected,
                                        struct reference_level *level, uint32_t reference,
                                        uint64_t address, bool prefetcher)
{
    struct reference_level *next = level->next;
    if (!next) {
        expected->memory_reads += level->level->kind == FT_LEVEL_CACHE;
        return (struct reference_cache_block){0};
    }
    if (!is_exclusive(next)) {
        need(expected, next, reference, address, false, prefetcher);
        return (struct reference_cache_block){0};
    }
    struct reference_cache_block *block = look_up(next, address);
    if (!prefetcher)
        note_request(next, reference, address, !block, false);
    if (!block)
        return get(expected, next, reference, address, prefetcher);
    block->valid = false;
    return (struct reference_cache_block){.dirty = block->dirty, .writer = block->writer};
}

static void wake(struct reference_hierarchy *expected, struct reference_level *level,
                 uint32_t reference, uint64_t address)
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
        level->figures->traffic.prefetches++;
        struct reference_cache_block taken = get(expected, level, reference, target, true);
        taken.prefetched = true;
        take_in(expected, level, target, taken);
    }
}

static void need(struct reference_hierarchy *expected, struct reference_level *level,
                 uint32_t reference, uint64_t address, bool store, bool prefetcher)
{
    if (!level) {
        expected->memory_writes += store;
        return;
    }
    const struct ft_behaviour *behaviour = &level->level->behaviour;
    bool back = behaviour->write == FT_WRITE_BACK, woken = true;
    bool around = store && behaviour->write_miss == FT_WRITE_AROUND;
    struct reference_cache_block *block = look_up(level, address);
    if (!prefetcher)
        note_request(level, reference, address, !block, around);
    around = around && !block;
    if (block) {
        woken = block->prefetched && !prefetcher;
        level->figures->traffic.useful_prefetches += woken;
        block->prefetched = block->prefetched && prefetcher;
        if (store && back) {
            block->dirty = true;
            block->writer = reference;
        }
        mark_used(expected, level, block);
    } else {
        if (!around) {
            struct reference_cache_block taken =
                get(expected, level, reference, address, prefetcher);
            if (store && back) {
                taken.dirty = true;
                taken.writer = reference;
            }
            take_in(expected, level, address, taken);
        }
    }
    if (store && (!back || around))
        need(expected, level->next, reference, address, true, false);
    if (woken && !prefetcher)
        wake(expected, level, reference, address);
}

/* Each block that the access covers at the first level of a chain. */
static void walk(struct reference_hierarchy *expected, struct reference_level *level,
                 uint32_t reference, uint64_t address, uint64_t size_bytes, bool store)
{
    if (!level)
        return;
    uint64_t last = (address + size_bytes - 1) / level->level->block_bytes;
    for (uint64_t block = address / level->level->block_bytes; block <= last; block++) {
        uint64_t start = block * level->level->block_bytes;
        need(expected, level, reference, start > address ? start : address, store, false);
    }
}

void reference_hierarchy_access(struct reference_hierarchy *expected, uint32_t core,
                                const struct ft_reference *reference, uint32_t index,
                                uint64_t address)
{
    uint64_t size_bytes = reference->size_bytes ? reference->size_bytes : 1;
    bool store = reference->kind == FT_STORE || reference->kind == FT_STORE_NONTEMPORAL;
    bool fetch = reference->kind == FT_FETCH;
    walk(expected, first_of(expected, FT_LEVEL_TLB, fetch, core), index, address, size_bytes,
         false);
    walk(expected, first_of(expected, FT_LEVEL_CACHE, fetch, core), index, address, size_bytes,
         store);
}

/* ---- results ---- */

static bool differs(const char *what, const struct reference_level_metrics *figures,
                    uint64_t wanted, uint64_t got, char text[200])
{
    if (wanted == got)
        return false;
    snprintf(text, 200, "%s of %s: %llu, by the reference %llu", what, figures->level->name,
             (unsigned long long)got, (unsigned long long)wanted);
    return true;
}

bool reference_hierarchy_same(const struct reference_hierarchy *expected,
                              const struct ft_hierarchy *hierarchy, uint32_t reference_count,
                              char text[200])
{
    text[0] = 0;
    for (size_t i = 0; i < expected->figure_count; i++) {
        const struct reference_level_metrics *figures = &expected->figures[i];
        const struct ft_hierarchy_level *got = ft_hierarchy_level(hierarchy, i);
        const struct ft_level_traffic *a = &figures->traffic, *b = &got->traffic;
        for (uint32_t j = 0; j < reference_count; j++)
            if (differs("accesses", figures, figures->accesses[j], got->accesses[j], text) ||
                differs("misses", figures, figures->misses[j], got->misses[j], text) ||
                differs("write-backs of a reference", figures, figures->write_backs[j],
                        got->write_backs[j], text))
                return false;
        for (uint32_t j = 0; got->causes && j < reference_count; j++)
            for (size_t cause = 0; cause < FT_MISS_CAUSES; cause++)
                if (differs(ft_miss_cause_names[cause], figures, figures->causes[j][cause],
                            got->causes[j * FT_MISS_CAUSES + cause], text))
                    return false;
        if (differs("evictions", figures, a->evictions, b->evictions, text) ||
            differs("write-backs", figures, a->write_backs, b->write_backs, text) ||
            differs("invalidations", figures, a->invalidations, b->invalidations, text) ||
            differs("prefetches", figures, a->prefetches, b->prefetches, text) ||
            differs("useful prefetches", figures, a->useful_prefetches, b->useful_prefetches, text))
            return false;
    }
    return !differs("reads from memory behind", &expected->figures[0], expected->memory_reads,
                    ft_hierarchy_memory_reads(hierarchy), text) &&
           !differs("writes to memory behind", &expected->figures[0], expected->memory_writes,
                    ft_hierarchy_memory_writes(hierarchy), text);
}
