/*
 * Levels form two chains, caches and TLBs. A request walks its chain until some level has the
 * block; on the way back each level takes it in and hands what it evicts to the next.
 *
 * Runs are walked in epochs (epochs.h) of the smallest block. What a hit changes, recency and the
 * dirty flag, the same hits in the same order leave unchanged the next time, whatever the
 * replacement. So if nothing but hits happened in one iteration, nothing else will in the rest of
 * the epoch, which is counted and skipped. Misses and first uses of prefetched blocks are all else
 * that can happen, unless stores are written through.
 */
#include "engine/simulate/hierarchy.h"

#include <stdlib.h>

#include "engine/simulate/epochs.h"
#include "engine/simulate/level_store.h"

#define NO_LEVEL (-1)

struct stride { /* what a stride prefetcher knows of a reference */
    uint64_t address;
    uint64_t stride;
    unsigned seen; /* 1: an address, 2: a stride too */
};

struct level {
    struct ft_hierarchy_level result;
    struct ft_level_store store;
    unsigned shift;
    int next;
    struct stride *strides; /* [reference]; NULL without a stride prefetcher */
};

struct ft_hierarchy {
    struct level *levels;
    int level_count;
    int first_cache, first_tlb; /* where chains begin; NO_LEVEL: there is none */
    struct ft_epochs epochs;
    uint64_t events; /* misses and first uses of prefetched blocks */
    bool may_skip;
    uint64_t memory_reads, memory_writes;
};

/* Why a block is asked for. */
struct demand {
    uint64_t address;
    uint32_t reference;
    bool prefetch; /* not by the program */
};

/* ---- making one ---- */

static int init_level(struct level *made, const struct ft_level *level, uint64_t seed,
                      uint32_t reference_count, struct ft_diag *diag)
{
    size_t references = reference_count ? reference_count : 1;
    *made = (struct level){
        .result = {.level = level,
                   .accesses = calloc(references, sizeof(uint64_t)),
                   .misses = calloc(references, sizeof(uint64_t))},
        .shift = (unsigned)__builtin_ctzll(level->block_bytes),
        .next = NO_LEVEL,
    };
    bool strides = level->behaviour.prefetch == FT_PREFETCH_STRIDE;
    if (strides)
        made->strides = calloc(references, sizeof *made->strides);
    if (!made->result.accesses || !made->result.misses || (strides && !made->strides))
        return ft_fail_memory(diag, "a level");
    return ft_level_store_init(&made->store, level, seed, diag);
}

static void link_levels(struct ft_hierarchy *hierarchy, int cache_count)
{
    for (int i = 0; i < hierarchy->level_count; i++)
        hierarchy->levels[i].next =
            i + 1 == cache_count || i + 1 == hierarchy->level_count ? NO_LEVEL : i + 1;
    hierarchy->first_cache = cache_count > 0 ? 0 : NO_LEVEL;
    hierarchy->first_tlb = hierarchy->level_count > cache_count ? cache_count : NO_LEVEL;
}

static int check_lines(const struct ft_hierarchy *hierarchy, const char *machine,
                       struct ft_diag *diag)
{
    for (int i = 0; i < hierarchy->level_count; i++) {
        const struct level *level = &hierarchy->levels[i];
        if (level->result.level->kind == FT_LEVEL_CACHE && level->next != NO_LEVEL &&
            hierarchy->levels[level->next].shift < level->shift)
            return ft_fail(diag, FT_ERROR_UNSUPPORTED,
                           "machine %s: lines of %s are longer than those of %s behind it; a "
                           "hierarchy needs lines that do not become shorter",
                           machine, level->result.level->name,
                           hierarchy->levels[level->next].result.level->name);
    }
    return FT_OK;
}

int ft_hierarchy_create(const struct ft_machine *machine, uint64_t seed, uint32_t reference_count,
                        struct ft_hierarchy **ret_hierarchy, struct ft_diag *diag)
{
    struct ft_hierarchy *hierarchy = calloc(1, sizeof *hierarchy);
    if (!hierarchy)
        return ft_fail_memory(diag, "a hierarchy");
    hierarchy->levels = calloc(machine->level_count, sizeof *hierarchy->levels);
    hierarchy->may_skip = true;
    hierarchy->epochs.block_shift = 63;
    int status = hierarchy->levels ? FT_OK : ft_fail_memory(diag, "a hierarchy");
    for (size_t i = 0; status == FT_OK && i < machine->level_count; i++) {
        const struct ft_level *level = &machine->levels[i];
        struct level *made = &hierarchy->levels[i];
        hierarchy->level_count++;
        status = init_level(made, level, seed + i, reference_count, diag);
        if (made->shift < hierarchy->epochs.block_shift)
            hierarchy->epochs.block_shift = made->shift;
        hierarchy->may_skip &= level->behaviour.write != FT_WRITE_THROUGH;
    }
    if (status == FT_OK) {
        link_levels(hierarchy, (int)machine->cache_count);
        status = check_lines(hierarchy, machine->name, diag);
    }
    if (status != FT_OK) {
        ft_hierarchy_destroy(hierarchy);
        return status;
    }
    *ret_hierarchy = hierarchy;
    return FT_OK;
}

void ft_hierarchy_destroy(struct ft_hierarchy *hierarchy)
{
    if (!hierarchy)
        return;
    for (int i = 0; i < hierarchy->level_count; i++) {
        struct level *level = &hierarchy->levels[i];
        free(level->result.accesses);
        free(level->result.misses);
        free(level->strides);
        ft_level_store_fini(&level->store);
    }
    ft_epochs_fini(&hierarchy->epochs);
    free(hierarchy->levels);
    free(hierarchy);
}

/* ---- what leaves a level ---- */

/* Takes the blocks of a piece of memory out of all levels before one; whether one was dirty. */
static bool invalidate_before(struct ft_hierarchy *hierarchy, int index, uint64_t address,
                              uint64_t bytes)
{
    bool dirty = false;
    for (int i = 0; i < hierarchy->level_count; i++) {
        struct level *level = &hierarchy->levels[i];
        if (level->next != index)
            continue;
        uint64_t block = address >> level->shift;
        for (uint64_t count = bytes >> level->shift; count > 0; count--, block++) {
            uint64_t place = ft_level_store_find(&level->store, block);
            if (place == FT_NO_PLACE)
                continue;
            dirty |= level->store.flags[place] & FT_BLOCK_DIRTY;
            ft_level_store_remove(&level->store, place);
            level->result.traffic.invalidations++;
        }
        dirty |= invalidate_before(hierarchy, i, address, bytes);
    }
    return dirty;
}

/* A dirty block arrives: it becomes dirty in the first level that has it, which does not use it, or
 * goes to memory. */
static void write_back(struct ft_hierarchy *hierarchy, int index, uint64_t address)
{
    for (; index != NO_LEVEL; index = hierarchy->levels[index].next) {
        struct level *level = &hierarchy->levels[index];
        uint64_t place = ft_level_store_find(&level->store, address >> level->shift);
        if (place == FT_NO_PLACE)
            continue;
        if (level->result.level->behaviour.write == FT_WRITE_THROUGH)
            continue;
        level->store.flags[place] |= FT_BLOCK_DIRTY;
        return;
    }
    hierarchy->memory_writes++;
}

/* Puts a block into a level; what has to go for it goes to the next, and so on. */
static void insert(struct ft_hierarchy *hierarchy, int index, uint64_t block, uint8_t flags)
{
    for (;;) {
        struct level *level = &hierarchy->levels[index];
        uint64_t evicted;
        uint8_t evicted_flags;
        if (!ft_level_store_insert(&level->store, block, flags, &evicted, &evicted_flags))
            return;
        level->result.traffic.evictions++;
        uint64_t address = evicted << level->shift;
        if (level->result.level->behaviour.inclusion == FT_INCLUSIVE &&
            invalidate_before(hierarchy, index, address, UINT64_C(1) << level->shift))
            evicted_flags |= FT_BLOCK_DIRTY;
        bool dirty = evicted_flags & FT_BLOCK_DIRTY;
        level->result.traffic.write_backs += dirty;
        index = level->next;
        if (index == NO_LEVEL ||
            hierarchy->levels[index].result.level->behaviour.inclusion != FT_EXCLUSIVE) {
            if (dirty)
                write_back(hierarchy, index, address);
            return;
        }
        block = evicted; /* an exclusive level takes all that the one before evicts */
        flags = evicted_flags & FT_BLOCK_DIRTY;
    }
}

/* ---- what a level asks for ---- */

static void request(struct ft_hierarchy *hierarchy, int index, const struct demand *demand);

static void count_access(struct level *level, const struct demand *demand)
{
    if (!demand->prefetch)
        level->result.accesses[demand->reference]++;
}

static void count_miss(struct ft_hierarchy *hierarchy, struct level *level,
                       const struct demand *demand)
{
    hierarchy->events++;
    if (!demand->prefetch)
        level->result.misses[demand->reference]++;
}

/* Gets a block from beyond a level that misses it; its flags. An exclusive level hands it over. */
static uint8_t fetch(struct ft_hierarchy *hierarchy, const struct level *level,
                     const struct demand *demand)
{
    while (level->next != NO_LEVEL) {
        struct level *next = &hierarchy->levels[level->next];
        if (next->result.level->behaviour.inclusion != FT_EXCLUSIVE) {
            request(hierarchy, level->next, demand);
            return 0;
        }
        count_access(next, demand);
        uint64_t place = ft_level_store_find(&next->store, demand->address >> next->shift);
        if (place != FT_NO_PLACE) {
            uint8_t flags = next->store.flags[place];
            ft_level_store_remove(&next->store, place);
            return flags;
        }
        count_miss(hierarchy, next, demand);
        level = next;
    }
    if (level->result.level->kind == FT_LEVEL_CACHE)
        hierarchy->memory_reads++;
    return 0;
}

/* Fetches the block of an address into a level that does not have it yet. */
static void prefetch(struct ft_hierarchy *hierarchy, int index, uint64_t address)
{
    struct level *level = &hierarchy->levels[index];
    struct demand demand = {.address = address, .prefetch = true};
    if (ft_level_store_find(&level->store, address >> level->shift) != FT_NO_PLACE)
        return;
    level->result.traffic.prefetches++;
    uint8_t flags = fetch(hierarchy, level, &demand);
    insert(hierarchy, index, address >> level->shift, flags | FT_BLOCK_PREFETCHED);
}

static bool in_page(uint64_t left, uint64_t right)
{
    return left / FT_PREFETCH_PAGE_BYTES == right / FT_PREFETCH_PAGE_BYTES;
}

/* Wakes the prefetcher of a level: on a miss, or when a prefetched block is used first. */
static void wake_prefetcher(struct ft_hierarchy *hierarchy, int index, const struct demand *demand)
{
    struct level *level = &hierarchy->levels[index];
    const struct ft_behaviour *behaviour = &level->result.level->behaviour;
    uint64_t address = demand->address, step = UINT64_C(1) << level->shift;
    if (demand->prefetch || behaviour->prefetch == FT_PREFETCH_NONE)
        return;
    if (behaviour->prefetch == FT_PREFETCH_STRIDE) {
        struct stride *seen = &level->strides[demand->reference];
        step = address - seen->address;
        bool again = seen->seen == 2 && step == seen->stride && step != 0;
        *seen = (struct stride){address, step, seen->seen ? 2 : 1};
        if (!again)
            return;
    }
    for (uint32_t i = 1; i <= behaviour->prefetch_blocks; i++)
        if (in_page(address + i * step, address))
            prefetch(hierarchy, index, address + i * step);
}

/* A block that is there is used; true where a prefetcher had fetched it for this. */
static bool use(struct ft_hierarchy *hierarchy, struct level *level, uint64_t place,
                const struct demand *demand, uint8_t flags)
{
    place = ft_level_store_use(&level->store, place);
    level->store.flags[place] |= flags;
    if (demand->prefetch || !(level->store.flags[place] & FT_BLOCK_PREFETCHED))
        return false;
    level->store.flags[place] &= (uint8_t)~FT_BLOCK_PREFETCHED;
    level->result.traffic.useful_prefetches++;
    hierarchy->events++;
    return true;
}

static void request(struct ft_hierarchy *hierarchy, int index, const struct demand *demand)
{
    struct level *level = &hierarchy->levels[index];
    uint64_t block = demand->address >> level->shift;
    uint64_t place = ft_level_store_find(&level->store, block);
    count_access(level, demand);
    if (place != FT_NO_PLACE) {
        if (use(hierarchy, level, place, demand, 0))
            wake_prefetcher(hierarchy, index, demand);
        return;
    }
    count_miss(hierarchy, level, demand);
    insert(hierarchy, index, block, fetch(hierarchy, level, demand));
    wake_prefetcher(hierarchy, index, demand);
}

/* A store of the program, at the first level or passed on to one beyond. */
static void store(struct ft_hierarchy *hierarchy, int index, const struct demand *demand)
{
    if (index == NO_LEVEL) {
        hierarchy->memory_writes++;
        return;
    }
    struct level *level = &hierarchy->levels[index];
    const struct ft_behaviour *behaviour = &level->result.level->behaviour;
    uint64_t block = demand->address >> level->shift;
    uint64_t place = ft_level_store_find(&level->store, block);
    bool through = behaviour->write == FT_WRITE_THROUGH, wake = true;
    uint8_t dirty = through ? 0 : FT_BLOCK_DIRTY;
    count_access(level, demand);
    if (place != FT_NO_PLACE) {
        wake = use(hierarchy, level, place, demand, dirty);
    } else {
        count_miss(hierarchy, level, demand);
        if (behaviour->write_miss == FT_WRITE_AROUND)
            through = true;
        else
            insert(hierarchy, index, block, fetch(hierarchy, level, demand) | dirty);
    }
    if (through)
        store(hierarchy, level->next, demand);
    if (wake)
        wake_prefetcher(hierarchy, index, demand);
}

/* ---- accesses ---- */

static bool is_store(const struct ft_run_source *source, uint32_t reference)
{
    uint8_t kind = source->references[reference].kind;
    return kind == FT_STORE || kind == FT_STORE_NONTEMPORAL;
}

/* Visits the blocks that an access covers at the first level of a chain. */
static void visit_chain(struct ft_hierarchy *hierarchy, int index, bool stores, uint64_t address,
                        const struct ft_epoch_entry *entry)
{
    if (index == NO_LEVEL)
        return;
    unsigned shift = hierarchy->levels[index].shift;
    struct demand demand = {.address = address, .reference = entry->reference};
    for (uint64_t i = ft_blocks_covered(shift, address, entry->size_bytes); i > 0; i--) {
        if (stores)
            store(hierarchy, index, &demand);
        else
            request(hierarchy, index, &demand);
        demand.address = ((demand.address >> shift) + 1) << shift;
    }
}

static void take_iteration(struct ft_hierarchy *hierarchy, const struct ft_run_source *source,
                           const struct ft_run_batch *batch, const struct ft_run *run,
                           uint64_t iteration)
{
    for (uint32_t j = 0; j < run->reference_count; j++) {
        struct ft_epoch_entry entry = ft_epoch_entry(source, batch, run->first + j);
        uint64_t address = entry.address + iteration * (uint64_t)entry.stride;
        visit_chain(hierarchy, hierarchy->first_tlb, false, address, &entry);
        visit_chain(hierarchy, hierarchy->first_cache, is_store(source, entry.reference), address,
                    &entry);
    }
}

static void count_hits(struct ft_hierarchy *hierarchy, int index, uint64_t address,
                       const struct ft_epoch_entry *entry, uint64_t times)
{
    if (index == NO_LEVEL)
        return;
    struct level *level = &hierarchy->levels[index];
    level->result.accesses[entry->reference] +=
        times * ft_blocks_covered(level->shift, address, entry->size_bytes);
}

/* Counts iterations that hit at the first levels of both chains. */
static void skip_iterations(struct ft_hierarchy *hierarchy, const struct ft_run_source *source,
                            const struct ft_run_batch *batch, const struct ft_run *run,
                            uint64_t iteration, uint64_t times)
{
    for (uint32_t j = 0; j < run->reference_count; j++) {
        struct ft_epoch_entry entry = ft_epoch_entry(source, batch, run->first + j);
        uint64_t address = entry.address + iteration * (uint64_t)entry.stride;
        count_hits(hierarchy, hierarchy->first_tlb, address, &entry, times);
        count_hits(hierarchy, hierarchy->first_cache, address, &entry, times);
    }
}

static int feed_run(struct ft_hierarchy *hierarchy, const struct ft_run_source *source,
                    const struct ft_run_batch *batch, const struct ft_run *run,
                    struct ft_diag *diag)
{
    if (run->iteration_count == 1) { /* strides mean nothing */
        take_iteration(hierarchy, source, batch, run, 0);
        return FT_OK;
    }
    if (!ft_epochs_start(&hierarchy->epochs, run))
        return ft_fail_memory(diag, "the simulation");
    for (uint64_t iteration = 0; iteration < run->iteration_count;) {
        uint64_t blocks, events;
        uint64_t end = ft_epochs_end(&hierarchy->epochs, source, batch, run, iteration, &blocks);
        do {
            events = hierarchy->events;
            take_iteration(hierarchy, source, batch, run, iteration++);
        } while (iteration < end && (hierarchy->events != events || !hierarchy->may_skip));
        if (iteration < end)
            skip_iterations(hierarchy, source, batch, run, iteration, end - iteration);
        iteration = end;
    }
    return FT_OK;
}

int ft_hierarchy_feed(struct ft_hierarchy *hierarchy, const struct ft_run_source *source,
                      const struct ft_run_batch *batch, struct ft_diag *diag)
{
    int status = FT_OK;
    for (size_t r = 0; status == FT_OK && r < batch->run_count; r++)
        status = feed_run(hierarchy, source, batch, &batch->runs[r], diag);
    return status;
}

/* ---- results ---- */

size_t ft_hierarchy_level_count(const struct ft_hierarchy *hierarchy)
{
    return (size_t)hierarchy->level_count;
}

const struct ft_hierarchy_level *ft_hierarchy_level(const struct ft_hierarchy *hierarchy,
                                                    size_t index)
{
    return &hierarchy->levels[index].result;
}

uint64_t ft_hierarchy_memory_reads(const struct ft_hierarchy *hierarchy)
{
    return hierarchy->memory_reads;
}

uint64_t ft_hierarchy_memory_writes(const struct ft_hierarchy *hierarchy)
{
    return hierarchy->memory_writes;
}
