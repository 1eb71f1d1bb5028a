#include "tests/bench/fenwick.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

struct reference_counts {
    uint64_t cold;
    uint64_t *counts; /* FT_BIN_COUNT, and as many sums after them */
};

struct fenwick {
    uint64_t shift;
    uint32_t *tree; /* 1 .. tree_slots */
    uint64_t tree_slots;
    uint64_t now; /* the last slot used */
    uint64_t live;
    struct {
        uint64_t block; /* + 1; 0: free */
        uint64_t slot;
    } * map;
    uint64_t map_capacity, map_used;
    struct reference_counts *references;
};

static void add(struct fenwick *fenwick, uint64_t slot, uint32_t amount)
{
    for (; slot <= fenwick->tree_slots; slot += slot & -slot)
        fenwick->tree[slot] += amount;
}

static uint64_t sum(const struct fenwick *fenwick, uint64_t slot)
{
    uint64_t total = 0;
    for (; slot; slot -= slot & -slot)
        total += fenwick->tree[slot];
    return total;
}

static uint64_t place_of(const struct fenwick *fenwick, uint64_t key)
{
    uint64_t place = key * UINT64_C(0x9e3779b97f4a7c15) >> 20 & (fenwick->map_capacity - 1);
    while (fenwick->map[place].block && fenwick->map[place].block != key)
        place = (place + 1) & (fenwick->map_capacity - 1);
    return place;
}

static bool grow(struct fenwick *fenwick)
{
    struct fenwick grown = *fenwick;
    grown.map_capacity *= 2;
    grown.map = calloc(grown.map_capacity, sizeof *grown.map);
    if (!grown.map)
        return false;
    for (uint64_t i = 0; i < fenwick->map_capacity; i++)
        if (fenwick->map[i].block)
            grown.map[place_of(&grown, fenwick->map[i].block)] = fenwick->map[i];
    free(fenwick->map);
    *fenwick = grown;
    return true;
}

static bool touch(struct fenwick *fenwick, uint64_t block, uint32_t reference)
{
    struct reference_counts *counts = &fenwick->references[reference];
    uint64_t place = place_of(fenwick, block + 1);
    uint64_t now = ++fenwick->now;
    if (fenwick->map[place].block) {
        uint64_t last = fenwick->map[place].slot;
        uint64_t distance = fenwick->live - sum(fenwick, last);
        add(fenwick, last, UINT32_MAX);
        if (!counts->counts) {
            counts->counts = calloc(2 * FT_BIN_COUNT, sizeof *counts->counts);
            if (!counts->counts)
                return false;
        }
        uint32_t bin = ft_bin_of(distance);
        counts->counts[bin]++;
        counts->counts[FT_BIN_COUNT + bin] += distance;
    } else {
        counts->cold++;
        fenwick->live++;
        fenwick->map[place].block = block + 1;
        if (2 * ++fenwick->map_used > fenwick->map_capacity) {
            if (!grow(fenwick))
                return false;
            place = place_of(fenwick, block + 1);
        }
    }
    fenwick->map[place].slot = now;
    add(fenwick, now, 1);
    return true;
}

static void collect(const struct fenwick *fenwick, uint32_t reference_count,
                    struct fenwick_result *result)
{
    for (uint32_t r = 0; r < reference_count; r++) {
        const struct reference_counts *counts = &fenwick->references[r];
        result->cold += counts->cold;
        result->touches += counts->cold;
        for (uint32_t bin = 0; counts->counts && bin < FT_BIN_COUNT; bin++) {
            result->counts[bin] += counts->counts[bin];
            result->touches += counts->counts[bin];
            result->distance_sum += counts->counts[FT_BIN_COUNT + bin];
        }
    }
}

static int take_source(struct fenwick *fenwick, uint64_t touches_max, struct ft_run_source *source,
                       uint64_t *ret_accesses, struct ft_diag *diag)
{
    uint64_t accesses = 0;
    for (;;) {
        struct ft_run_batch batch;
        int status = source->next(source, &batch, diag);
        if (status)
            return status;
        if (batch.run_count == 0)
            break;
        for (const struct ft_run *run = batch.runs; run < batch.runs + batch.run_count; run++)
            for (uint64_t i = 0; i < run->iteration_count; i++)
                for (size_t j = run->first; j < run->first + run->reference_count; j++) {
                    uint32_t reference = batch.references[j];
                    uint32_t bytes = source->references[reference].size_bytes;
                    uint64_t address = batch.addresses[j];
                    if (i)
                        address += i * (uint64_t)batch.strides[j];
                    uint64_t last = (address + (bytes ? bytes - 1 : 0)) >> fenwick->shift;
                    for (uint64_t block = address >> fenwick->shift; block <= last; block++)
                        if (fenwick->now == touches_max || !touch(fenwick, block, reference))
                            return ft_fail_memory(diag, "the reference");
                    accesses++;
                }
    }
    *ret_accesses = accesses;
    return FT_OK;
}

int fenwick_run(uint64_t block_bytes, uint64_t touches_max, struct ft_run_source *source,
                struct fenwick_result *ret_result, struct ft_diag *diag)
{
    struct fenwick fenwick = {
        .shift = (uint64_t)__builtin_ctzll(block_bytes),
        .tree = calloc(touches_max + 1, sizeof *fenwick.tree),
        .tree_slots = touches_max,
        .map = calloc(1024, sizeof *fenwick.map),
        .map_capacity = 1024,
        .references = calloc((size_t)source->reference_count + 1, sizeof *fenwick.references),
    };
    memset(ret_result, 0, sizeof *ret_result);
    int status = ft_fail_memory(diag, "the reference");
    if (fenwick.tree && fenwick.map && fenwick.references)
        status = take_source(&fenwick, touches_max, source, &ret_result->accesses, diag);
    if (fenwick.references)
        collect(&fenwick, source->reference_count, ret_result);
    for (uint32_t r = 0; fenwick.references && r < source->reference_count; r++)
        free(fenwick.references[r].counts);
    free(fenwick.references);
    free(fenwick.map);
    free(fenwick.tree);
    return status;
}
