#include "tests/scope_witness.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "formats/base/array.h"
#include "formats/histograms/reuse_pairs.h"

const uint64_t witness_block_bytes[WITNESS_SIZES] = {16, 64, 4096};

/* Whether the event is put off. */
static bool put_off(struct scope_witness *witness, struct witness_event event)
{
    struct witness_thread *later = witness->later;
    if (!later)
        return false;
    if (!FT_RESERVE(later->events, later->capacity, later->count + 1))
        exit(99);
    later->events[later->count++] = event;
    return true;
}

void scope_witness_enter(struct scope_witness *witness, uint32_t scope)
{
    if (put_off(witness, (struct witness_event){WITNESS_ENTER, scope, 0}))
        return;
    if (witness->path.depth == WITNESS_DEPTH_MAX)
        exit(99);
    witness->path.places[witness->path.depth++] =
        (struct witness_place){scope, ++witness->activations, 0};
}

void scope_witness_leave(struct scope_witness *witness)
{
    if (put_off(witness, (struct witness_event){WITNESS_LEAVE, 0, 0}))
        return;
    const struct witness_place *left = &witness->path.places[--witness->path.depth];
    const uint64_t iterations = left->iteration + 1;
    for (size_t l = 0; l < witness->program->loop_count; l++) {
        struct ft_trips *trips = &witness->trips[l];
        if (witness->program->loops[l].scope != left->scope)
            continue;
        trips->min = trips->entries && trips->min < iterations ? trips->min : iterations;
        trips->max = trips->max > iterations ? trips->max : iterations;
        trips->entries++;
        trips->iterations += iterations;
        unsigned bin = 0;
        while (iterations >> bin)
            bin++;
        trips->bins[bin]++;
    }
}

void scope_witness_iterate(struct scope_witness *witness)
{
    if (!put_off(witness, (struct witness_event){WITNESS_ITERATE, 0, 0}))
        witness->path.places[witness->path.depth - 1].iteration++;
}

static void expect(struct scope_witness *witness, size_t size, struct ft_reuse_pair pair,
                   uint64_t distance)
{
    struct witness_pair *expected = witness->expected[size];
    size_t i = 0;
    while (i < witness->expected_count[size] &&
           (expected[i].pair.sink != pair.sink || expected[i].pair.source != pair.source ||
            expected[i].pair.scope != pair.scope || expected[i].pair.is_carried != pair.is_carried))
        i++;
    if (i == witness->expected_count[size]) {
        if (!FT_RESERVE(witness->expected[size], witness->expected_capacity[size], i + 1))
            exit(99);
        expected = witness->expected[size];
        expected[witness->expected_count[size]++] = (struct witness_pair){.pair = pair};
    }
    expected[i].touches++;
    expected[i].distance_sum += distance;
}

/* The pair of a touch and the last one of its block. */
static struct ft_reuse_pair pair_of(const struct scope_witness *witness, uint32_t reference,
                                    const struct witness_block *last)
{
    if (last->thread != witness->thread)
        return (struct ft_reuse_pair){reference, last->reference, FT_OTHER_THREAD, false};
    size_t common = 0;
    while (common < last->path.depth && common < witness->path.depth &&
           last->path.places[common].activation == witness->path.places[common].activation)
        common++;
    const struct witness_place *now = &witness->path.places[common - 1];
    return (struct ft_reuse_pair){reference, last->reference, now->scope,
                                  now->iteration != last->path.places[common - 1].iteration};
}

void scope_witness_see(struct scope_witness *witness, uint32_t reference, uint64_t address)
{
    if (put_off(witness, (struct witness_event){WITNESS_SEE, reference, address}))
        return;
    for (size_t s = 0; s < WITNESS_SIZES; s++) {
        uint64_t number = address / witness_block_bytes[s];
        size_t count = witness->block_count[s], at = count;
        struct witness_block *blocks = witness->blocks[s];
        while (at > 0 && blocks[at - 1].number != number)
            at--;
        if (at == 0) {
            expect(witness, s, (struct ft_reuse_pair){reference, FT_NO_SOURCE, FT_NO_SCOPE, false},
                   0);
            if (!FT_RESERVE(witness->blocks[s], witness->block_capacity[s], count + 1))
                exit(99);
            blocks = witness->blocks[s];
            witness->block_count[s]++;
        } else {
            expect(witness, s, pair_of(witness, reference, &blocks[at - 1]), count - at);
            memmove(&blocks[at - 1], &blocks[at], (count - at) * sizeof *blocks);
            count--;
        }
        blocks[count] = (struct witness_block){number, reference, witness->thread, witness->path};
    }
}

void scope_witness_take(struct scope_witness *witness, struct witness_thread *threads,
                        uint32_t thread)
{
    struct witness_thread *taken = &threads[thread];
    threads[witness->thread].path = witness->path;
    witness->path = taken->path;
    witness->thread = thread;
    for (bool sees = false; !sees && taken->taken < taken->count;) {
        const struct witness_event *event = &taken->events[taken->taken++];
        sees = event->kind == WITNESS_SEE;
        if (sees)
            scope_witness_see(witness, event->number, event->address);
        else if (event->kind == WITNESS_ENTER)
            scope_witness_enter(witness, event->number);
        else if (event->kind == WITNESS_LEAVE)
            scope_witness_leave(witness);
        else
            scope_witness_iterate(witness);
    }
}

bool scope_witness_has_pairs(const struct scope_witness *witness,
                             const struct ft_reuse_pairs *pairs, size_t size)
{
    bool same = pairs->count == witness->expected_count[size];
    for (size_t i = 0; i < witness->expected_count[size]; i++) {
        const struct witness_pair *expected = &witness->expected[size][i];
        uint64_t touches = 0, distance_sum = 0;
        for (size_t k = 0; k < pairs->count; k++) {
            const struct ft_histogram *histogram = &pairs->histograms[k];
            if (ft_reuse_pair_compare(&pairs->pairs[k], &expected->pair) != 0)
                continue;
            touches = histogram->touches;
            for (size_t b = 0; b < histogram->bin_count; b++)
                distance_sum += histogram->bins[b].distance_sum;
        }
        if (touches == expected->touches && distance_sum == expected->distance_sum)
            continue;
        printf("# blocks of %" PRIu64 ": %" PRId32 " to %" PRIu32 ", scope %" PRId32 "%s: %" PRIu64
               " touches, %" PRIu64 " expected\n",
               witness_block_bytes[size], (int32_t)expected->pair.source, expected->pair.sink,
               (int32_t)expected->pair.scope, expected->pair.is_carried ? " carried" : "", touches,
               expected->touches);
        same = false;
    }
    return same;
}

void scope_witness_fini(struct scope_witness *witness)
{
    for (size_t s = 0; s < WITNESS_SIZES; s++) {
        free(witness->blocks[s]);
        free(witness->expected[s]);
    }
}
