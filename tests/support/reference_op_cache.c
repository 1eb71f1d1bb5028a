#include "tests/support/reference_op_cache.h"

#include <stdlib.h>

void reference_op_cache_init(struct reference_op_cache *op_cache, const struct ft_op_cache *cache,
                             const struct ft_executed *executed, uint32_t count)
{
    const uint32_t window = cache->window_bytes;
    *op_cache = (struct reference_op_cache){
        .cache = cache, .places = calloc(2 * (size_t)count + 1, sizeof *op_cache->places)};
    for (uint32_t i = 0; window > 0 && i < count; i++) {
        const uint64_t first = executed[i].first_byte / window;
        const uint64_t last = executed[i].last_byte / window;
        const bool ends = executed[i].taken || executed[i].mispredicted;
        if (first != last)
            op_cache->places[op_cache->count++] = (struct reference_place){first, false, false};
        op_cache->places[op_cache->count++] = (struct reference_place){last, true, ends};
    }
}

void reference_op_cache_fini(struct reference_op_cache *op_cache)
{
    free(op_cache->places);
}

bool reference_op_cache_is_between(const struct reference_op_cache *op_cache)
{
    return op_cache->at < op_cache->count && !op_cache->places[op_cache->at].brings;
}

/* Behind the last place of the run that one is in. */
static uint32_t run_end(const struct reference_op_cache *op_cache, uint32_t place)
{
    const struct reference_place *places = op_cache->places;
    while (place < op_cache->count) {
        if (places[place++].ends)
            break;
        if (place < op_cache->count && places[place - 1].window != places[place].window)
            break;
    }
    return place;
}

static bool falls_through(const struct reference_op_cache *op_cache, uint32_t end)
{
    return end > 0 && end < op_cache->count && !op_cache->places[end - 1].ends;
}

static uint32_t least(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

uint32_t reference_op_cache_brings(struct reference_op_cache *op_cache)
{
    const uint32_t entry = op_cache->cache->entry_instructions;
    const uint32_t decode_cycles = op_cache->cache->decode_cycles;
    while (run_end(op_cache, op_cache->run) <= op_cache->at && op_cache->at < op_cache->count)
        op_cache->run = run_end(op_cache, op_cache->run);
    const uint32_t end = run_end(op_cache, op_cache->run), next_end = run_end(op_cache, end);
    const uint32_t all = end - op_cache->run, left = end - op_cache->at, behind = next_end - end;
    if (op_cache->cache->entries == 1) {
        if (left == all)
            return falls_through(op_cache, op_cache->run) ? all : least(all, entry);
        if (falls_through(op_cache, end))
            return left + behind;
        return falls_through(op_cache, op_cache->run) ? left : least(left, entry);
    }
    if (all > 2 * entry && !falls_through(op_cache, op_cache->run))
        return least(left, (all + decode_cycles - 1) / decode_cycles);
    if (left > entry)
        return least(left, 2 * entry);
    if (all == left && falls_through(op_cache, end))
        return left + least(behind, 2 * entry);
    return behind > 2 * entry || falls_through(op_cache, next_end) ? left
                                                                   : left + least(behind, entry);
}
