/*
 * A run is cut where one of its entries comes to other blocks. The first iteration of a piece is
 * taken as it is. Those after it repeat its touches, after which the LRU order is as it was: they
 * hit where no set can have more than its ways of these blocks; else the second one is taken, and
 * counts for all of them (docs/simulate.md, "Exact simulation").
 */
#include "engine/simulate/warping/single_cache.h"

#include <stdlib.h>

int ft_single_cache_init(struct ft_single_cache *cache, const struct ft_cache_form *form,
                         const struct ft_some_sets *some, uint32_t reference_count,
                         struct ft_diag *diag)
{
    *cache = (struct ft_single_cache){
        .shift = (unsigned)__builtin_ctzll(form->block_bytes),
        .sets = form->blocks / form->ways,
        .ways = form->ways,
        .some = some,
        .counts = calloc(reference_count + (size_t)1, sizeof *cache->counts)};
    if (!cache->counts)
        return ft_fail_memory(diag, "a cache");
    int status = cache->sets == 1 ? ft_full_list_init(&cache->list, form->blocks, diag)
                                  : ft_set_rows_init(&cache->rows, cache->sets, form->ways, diag);
    if (status)
        ft_single_cache_fini(cache);
    return status;
}

void ft_single_cache_fini(struct ft_single_cache *cache)
{
    ft_set_rows_fini(&cache->rows);
    ft_full_list_fini(&cache->list);
    free(cache->counts);
    cache->counts = NULL;
}

/* ---- touches ---- */

static inline bool touch(struct ft_single_cache *cache, bool is_full, uint64_t block)
{
    return is_full ? ft_full_list_touch(&cache->list, block)
                   : ft_set_rows_touch(&cache->rows, block);
}

static inline bool is_some(const struct ft_single_cache *cache, uint64_t block)
{
    return cache->some->up[ft_set_rows_set(&cache->rows, block)] == 0;
}

/* Those of an iteration, each standing for `weight`; how many there are. */
static inline __attribute__((always_inline)) uint64_t
take_iteration(struct ft_single_cache *cache, bool is_full, bool has_some,
               const struct ft_run_entry *entries, size_t count, uint64_t weight)
{
    uint64_t touches = 0;
    for (const struct ft_run_entry *entry = entries; entry < entries + count; entry++) {
        uint64_t misses = 0;
        for (uint64_t block = entry->first; block <= entry->last; block++) {
            if (has_some && !is_some(cache, block))
                continue;
            touches++;
            misses += touch(cache, is_full, block);
        }
        if (misses)
            cache->counts[entry->reference].misses += weight * misses;
    }
    return touches;
}

/* ---- where entries come to other blocks ---- */

static inline uint64_t divide(uint64_t bytes, uint64_t stride)
{
    return (stride & (stride - 1)) == 0 ? bytes >> __builtin_ctzll(stride) : bytes / stride;
}

/* How many more iterations stay in the blocks of an address. */
static uint64_t stays(const struct ft_single_cache *cache, const struct ft_run_entry *entry,
                      uint64_t address)
{
    const uint64_t in_block = (UINT64_C(1) << cache->shift) - 1;
    const uint64_t end = address + entry->extra;
    if (entry->stride == 0)
        return UINT64_MAX / 2;
    const uint64_t stride = (uint64_t)(entry->stride < 0 ? -entry->stride : entry->stride);
    if (stride > in_block)
        return 0;
    const uint64_t start_room = entry->stride < 0 ? address & in_block : in_block & ~address;
    const uint64_t end_room = entry->stride < 0 ? end & in_block : in_block & ~end;
    return divide(start_room < end_room ? start_room : end_room, stride);
}

/* The next iteration in which an access comes to one of some sets, for short strides: until then it
 * has to cross so many blocks. */
static uint64_t next_in_some(const struct ft_single_cache *cache, const struct ft_run_entry *entry,
                             uint64_t iteration)
{
    const uint64_t address = entry->address + iteration * (uint64_t)entry->stride;
    const uint64_t in_block = (UINT64_C(1) << cache->shift) - 1;
    const uint64_t stride = (uint64_t)(entry->stride < 0 ? -entry->stride : entry->stride);
    uint64_t blocks, room;
    if (entry->stride > 0) {
        blocks = cache->some->up[ft_set_rows_set(&cache->rows, entry->last)];
        room = in_block & ~(address + entry->extra);
    } else {
        blocks = cache->some->down[ft_set_rows_set(&cache->rows, entry->first)];
        room = address & in_block;
    }
    return iteration + divide(room + ((blocks - 1) << cache->shift), stride) + 1;
}

static void place_entry(const struct ft_single_cache *cache, struct ft_run_entry *entry,
                        uint64_t iteration)
{
    const uint64_t address = entry->address + iteration * (uint64_t)entry->stride;
    entry->first = address >> cache->shift;
    entry->last = (address + entry->extra) >> cache->shift;
    entry->until = iteration + stays(cache, entry, address) + 1;
}

static bool touches_some(const struct ft_single_cache *cache, const struct ft_run_entry *entry)
{
    for (uint64_t block = entry->first; block <= entry->last; block++)
        if (is_some(cache, block))
            return true;
    return false;
}

/* Its blocks in an iteration; where it touches none of some sets, also the iterations until it
 * does. */
static void start_piece(const struct ft_single_cache *cache, struct ft_run_entry *entry,
                        uint64_t iteration, uint64_t to)
{
    place_entry(cache, entry, iteration);
    if (!cache->some || touches_some(cache, entry))
        return;
    if (entry->stride >> cache->shift == 0 || (-entry->stride) >> cache->shift == 0) {
        if (entry->stride)
            entry->until = next_in_some(cache, entry, iteration);
        return;
    }
    struct ft_run_entry ahead = *entry;
    while (ahead.until < to) {
        place_entry(cache, &ahead, ahead.until);
        if (touches_some(cache, &ahead))
            break;
        entry->until = ahead.until;
    }
}

/* ---- runs ---- */

static inline __attribute__((always_inline)) void take_run(struct ft_single_cache *cache,
                                                           bool is_full, bool has_some,
                                                           struct ft_run_entry *entries,
                                                           size_t count, uint64_t from, uint64_t to)
{
    for (size_t e = 0; e < count; e++)
        start_piece(cache, &entries[e], from, to);
    for (uint64_t i = from; i < to;) {
        uint64_t next = to;
        for (size_t e = 0; e < count; e++)
            next = entries[e].until < next ? entries[e].until : next;
        uint64_t touches = take_iteration(cache, is_full, has_some, entries, count, 1);
        if (next - i > 1 && touches > cache->ways)
            touches += take_iteration(cache, is_full, has_some, entries, count, next - i - 1);
        cache->touches += touches + 1;
        for (size_t e = 0; next < to && e < count; e++)
            if (entries[e].until == next)
                start_piece(cache, &entries[e], next, to);
        i = next;
    }
}

void ft_single_cache_run(struct ft_single_cache *cache, struct ft_run_entry *entries, size_t count,
                         uint64_t from, uint64_t to)
{
    for (size_t e = 0; e < count; e++)
        cache->counts[entries[e].reference].accesses += to - from;
    if (cache->sets == 1)
        take_run(cache, true, false, entries, count, from, to);
    else if (cache->some)
        take_run(cache, false, true, entries, count, from, to);
    else
        take_run(cache, false, false, entries, count, from, to);
}

void ft_single_cache_access(struct ft_single_cache *cache, const struct ft_run_entry *entry)
{
    struct ft_reference_count *counted = &cache->counts[entry->reference];
    const uint64_t last = (entry->address + entry->extra) >> cache->shift;
    counted->accesses++;
    cache->touches++;
    for (uint64_t block = entry->address >> cache->shift; block <= last; block++)
        if (!cache->some || is_some(cache, block))
            counted->misses += touch(cache, cache->sets == 1, block);
}

/* ---- states ---- */

uint64_t ft_single_cache_held(const struct ft_single_cache *cache)
{
    return cache->sets == 1 ? cache->list.count : cache->rows.count;
}

uint64_t ft_single_cache_hash(const struct ft_single_cache *cache,
                              const struct ft_block_moves *moves, uint64_t periods)
{
    return cache->sets == 1 ? ft_full_list_hash(&cache->list, moves, periods)
                            : ft_set_rows_hash(&cache->rows, moves, periods);
}

int ft_single_cache_move(struct ft_single_cache *cache, const struct ft_block_moves *moves,
                         uint64_t periods, struct ft_diag *diag)
{
    if (cache->sets > 1)
        return ft_set_rows_move(&cache->rows, moves, periods, diag);
    ft_full_list_move(&cache->list, moves, periods);
    return FT_OK;
}
