#include "tests/support/reference_carriers.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "formats/base/array.h"
#include "formats/histograms/reuse_pairs.h"

const uint64_t reference_carriers_block_bytes[CARRIERS_SIZES] = {16, 64, 4096};

/* Whether the event is put off. */
static bool put_off(struct reference_carriers *carriers, struct carriers_event event)
{
    struct carriers_thread *later = carriers->later;
    if (!later)
        return false;
    if (!FT_RESERVE(later->events, later->capacity, later->count + 1))
        exit(99);
    later->events[later->count++] = event;
    return true;
}

void reference_carriers_enter(struct reference_carriers *carriers, uint32_t scope)
{
    if (put_off(carriers, (struct carriers_event){CARRIERS_ENTER, scope, 0}))
        return;
    if (carriers->path.depth == CARRIERS_DEPTH_MAX)
        exit(99);
    carriers->path.places[carriers->path.depth++] =
        (struct carriers_place){scope, ++carriers->activations, 0};
}

void reference_carriers_leave(struct reference_carriers *carriers)
{
    if (put_off(carriers, (struct carriers_event){CARRIERS_LEAVE, 0, 0}))
        return;
    const struct carriers_place *left = &carriers->path.places[--carriers->path.depth];
    const uint64_t iterations = left->iteration + 1;
    for (size_t l = 0; l < carriers->program->loop_count; l++) {
        struct ft_trips *trips = &carriers->trips[l];
        if (carriers->program->loops[l].scope != left->scope)
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

void reference_carriers_iterate(struct reference_carriers *carriers)
{
    if (!put_off(carriers, (struct carriers_event){CARRIERS_ITERATE, 0, 0}))
        carriers->path.places[carriers->path.depth - 1].iteration++;
}

static void expect(struct reference_carriers *carriers, size_t size, struct ft_reuse_pair pair,
                   uint64_t distance)
{
    struct carriers_pair *expected = carriers->expected[size];
    size_t i = 0;
    while (i < carriers->expected_count[size] &&
           (expected[i].pair.sink != pair.sink || expected[i].pair.source != pair.source ||
            expected[i].pair.scope != pair.scope || expected[i].pair.is_carried != pair.is_carried))
        i++;
    if (i == carriers->expected_count[size]) {
        if (!FT_RESERVE(carriers->expected[size], carriers->expected_capacity[size], i + 1))
            exit(99);
        expected = carriers->expected[size];
        expected[carriers->expected_count[size]++] = (struct carriers_pair){.pair = pair};
    }
    expected[i].touches++;
    expected[i].distance_sum += distance;
}

/* The pair of a touch and the last one of its block. */
static struct ft_reuse_pair pair_of(const struct reference_carriers *carriers, uint32_t reference,
                                    const struct carriers_block *last)
{
    if (last->thread != carriers->thread)
        return (struct ft_reuse_pair){reference, last->reference, FT_OTHER_THREAD, false};
    size_t common = 0;
    while (common < last->path.depth && common < carriers->path.depth &&
           last->path.places[common].activation == carriers->path.places[common].activation)
        common++;
    const struct carriers_place *now = &carriers->path.places[common - 1];
    return (struct ft_reuse_pair){reference, last->reference, now->scope,
                                  now->iteration != last->path.places[common - 1].iteration};
}

void reference_carriers_see(struct reference_carriers *carriers, uint32_t reference,
                            uint64_t address)
{
    if (put_off(carriers, (struct carriers_event){CARRIERS_SEE, reference, address}))
        return;
    for (size_t s = 0; s < CARRIERS_SIZES; s++) {
        uint64_t number = address / reference_carriers_block_bytes[s];
        size_t count = carriers->block_count[s], at = count;
        struct carriers_block *blocks = carriers->blocks[s];
        while (at > 0 && blocks[at - 1].number != number)
            at--;
        if (at == 0) {
            expect(carriers, s, (struct ft_reuse_pair){reference, FT_NO_SOURCE, FT_NO_SCOPE, false},
                   0);
            if (!FT_RESERVE(carriers->blocks[s], carriers->block_capacity[s], count + 1))
                exit(99);
            blocks = carriers->blocks[s];
            carriers->block_count[s]++;
        } else {
            expect(carriers, s, pair_of(carriers, reference, &blocks[at - 1]), count - at);
            memmove(&blocks[at - 1], &blocks[at], (count - at) * sizeof *blocks);
            count--;
        }
        blocks[count] =
            (struct carriers_block){number, reference, carriers->thread, carriers->path};
    }
}

void reference_carriers_take(struct reference_carriers *carriers, struct carriers_thread *threads,
                             uint32_t thread)
{
    struct carriers_thread *taken = &threads[thread];
    threads[carriers->thread].path = carriers->path;
    carriers->path = taken->path;
    carriers->thread = thread;
    for (bool sees = false; !sees && taken->taken < taken->count;) {
        const struct carriers_event *event = &taken->events[taken->taken++];
        sees = event->kind == CARRIERS_SEE;
        if (sees)
            reference_carriers_see(carriers, event->number, event->address);
        else if (event->kind == CARRIERS_ENTER)
            reference_carriers_enter(carriers, event->number);
        else if (event->kind == CARRIERS_LEAVE)
            reference_carriers_leave(carriers);
        else
            reference_carriers_iterate(carriers);
    }
}

bool reference_carriers_has_pairs(const struct reference_carriers *carriers,
                                  const struct ft_reuse_pairs *pairs, size_t size)
{
    bool same = pairs->count == carriers->expected_count[size];
    for (size_t i = 0; i < carriers->expected_count[size]; i++) {
        const struct carriers_pair *expected = &carriers->expected[size][i];
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
               reference_carriers_block_bytes[size], (int32_t)expected->pair.source,
               expected->pair.sink, (int32_t)expected->pair.scope,
               expected->pair.is_carried ? " carried" : "", touches, expected->touches);
        same = false;
    }
    return same;
}

void reference_carriers_fini(struct reference_carriers *carriers)
{
    for (size_t s = 0; s < CARRIERS_SIZES; s++) {
        free(carriers->blocks[s]);
        free(carriers->expected[s]);
    }
}
