/*
 * All counters are arrays of 64-bit numbers. Some grow during the repetition: new items were 0
 * before. Histograms of long distances are counts and sums of distances, and add up the same way.
 * No touch of a repetition is cold, so cold touches are not among the counters.
 */
#include "engine/reuse/stacks/repeated_counts.h"

#include <stdlib.h>
#include <string.h>

#include "engine/reuse/stacks/replay_state.h"

#define REFERENCE_COUNTS 2U /* accesses, repeats */

/* The counters of a replay, where they are now. */
struct counters {
    struct ft_counted arrays[FT_COUNTED_ARRAYS];
    size_t array_count;
};

static void append(struct counters *counters, void *items, size_t count)
{
    counters->arrays[counters->array_count++] = (struct ft_counted){items, items ? count : 0};
}

static struct counters list_counters(struct ft_replay *replay)
{
    const size_t words_a_chunk =
        FT_TALLY_CHUNK_BINS * sizeof(struct ft_tally_bin) / sizeof(uint64_t);
    struct counters counters = {.array_count = 0};
    append(&counters, &replay->access_count, 1);
    append(&counters, replay->spans, replay->size_count);
    if (replay->listener) {
        replay->listener->complete(replay->listener);
        append(&counters, replay->listener->counters, replay->listener->counter_count);
        return counters;
    }
    if (replay->pairs) {
        const uint32_t rows = replay->pairs->row_count + 1;
        append(&counters, replay->pairs->repeats.items, rows);
        append(&counters, replay->pairs->counts.items,
               ft_front_counter(rows, 0, 0, replay->size_count));
    } else {
        append(&counters, replay->counts.items,
               ft_front_counter(replay->reference_count, 0, 0, replay->size_count));
    }
    for (unsigned s = 0; s < replay->size_count; s++) {
        const struct ft_tally *tally = &replay->stacks[s].tally;
        append(&counters, tally->chunks.items, (tally->chunk_count + (size_t)1) * words_a_chunk);
    }
    return counters;
}

uint64_t ft_repeated_counters(struct ft_replay *replay)
{
    const struct counters counters = list_counters(replay);
    uint64_t sum = REFERENCE_COUNTS * (uint64_t)replay->reference_count;
    for (size_t i = 0; i < counters.array_count; i++)
        sum += counters.arrays[i].count;
    return sum;
}

bool ft_repeated_counts_have_room(const struct ft_repeated_counts *counts, struct ft_replay *replay)
{
    const uint64_t kept = ft_repeated_counts_bytes(counts);
    const uint64_t needed = ft_repeated_counters(replay) * sizeof(uint64_t);
    return needed <= kept || !replay->budget || ft_memory_has_room(replay->budget, needed - kept);
}

/* Room for so many counters, those that are new are 0. */
static int widen(struct ft_counted *counted, size_t count, struct ft_diag *diag)
{
    uint64_t *items = realloc(counted->items, (count + 1) * sizeof *items);
    if (!items)
        return ft_fail_memory(diag, "counts");
    if (count > counted->count)
        memset(items + counted->count, 0, (count - counted->count) * sizeof *items);
    *counted = (struct ft_counted){items, count};
    return FT_OK;
}

int ft_repeated_counts_note(struct ft_repeated_counts *counts, struct ft_replay *replay,
                            struct ft_diag *diag)
{
    const struct counters now = list_counters(replay);
    int status = FT_OK;
    for (size_t i = 0; !status && i < now.array_count; i++) {
        const struct ft_counted *array = &now.arrays[i];
        status = widen(&counts->arrays[i], array->count, diag);
        if (!status && array->count)
            memcpy(counts->arrays[i].items, array->items, array->count * sizeof *array->items);
    }
    if (!status)
        status =
            widen(&counts->references, REFERENCE_COUNTS * (size_t)replay->reference_count, diag);
    for (uint32_t r = 0; !status && r < replay->reference_count; r++) {
        uint64_t *noted = counts->references.items + REFERENCE_COUNTS * (size_t)r;
        noted[0] = replay->references[r].accesses;
        noted[1] = replay->references[r].repeats;
    }
    return status;
}

int ft_repeated_counts_measure(struct ft_repeated_counts *counts, struct ft_replay *replay,
                               struct ft_diag *diag)
{
    const struct counters now = list_counters(replay);
    int status = FT_OK;
    for (size_t i = 0; !status && i < now.array_count; i++) {
        const struct ft_counted *array = &now.arrays[i];
        struct ft_counted *counted = &counts->arrays[i];
        status = widen(counted, array->count, diag);
        for (size_t k = 0; !status && k < array->count; k++)
            counted->items[k] = array->items[k] - counted->items[k];
    }
    for (uint32_t r = 0; !status && r < replay->reference_count; r++) {
        uint64_t *noted = counts->references.items + REFERENCE_COUNTS * (size_t)r;
        noted[0] = replay->references[r].accesses - noted[0];
        noted[1] = replay->references[r].repeats - noted[1];
    }
    return status;
}

void ft_repeated_counts_add(const struct ft_repeated_counts *counts, struct ft_replay *replay,
                            uint64_t times)
{
    const struct counters now = list_counters(replay);
    for (size_t i = 0; i < now.array_count; i++)
        for (size_t k = 0; k < counts->arrays[i].count; k++)
            now.arrays[i].items[k] += times * counts->arrays[i].items[k];
    for (uint32_t r = 0; r < replay->reference_count; r++) {
        const uint64_t *added = counts->references.items + REFERENCE_COUNTS * (size_t)r;
        replay->references[r].accesses += times * added[0];
        replay->references[r].repeats += times * added[1];
    }
}

void ft_repeated_counts_fini(struct ft_repeated_counts *counts)
{
    for (size_t i = 0; i < FT_COUNTED_ARRAYS; i++)
        free(counts->arrays[i].items);
    free(counts->references.items);
    *counts = (struct ft_repeated_counts){0};
}
