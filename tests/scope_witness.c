#include "tests/scope_witness.h"

#include <stdlib.h>
#include <string.h>

#include "formats/base/array.h"

const uint64_t witness_block_bytes[WITNESS_SIZES] = {16, 64, 4096};

void scope_witness_enter(struct scope_witness *witness, uint32_t scope)
{
    if (witness->path.depth == WITNESS_DEPTH_MAX)
        exit(99);
    witness->path.places[witness->path.depth++] =
        (struct witness_place){scope, ++witness->activations, 0};
}

void scope_witness_leave(struct scope_witness *witness)
{
    const struct witness_place *left = &witness->path.places[--witness->path.depth];
    const uint64_t turns = left->iteration + 1;
    for (size_t l = 0; l < witness->program->loop_count; l++) {
        struct ft_trips *trips = &witness->trips[l];
        if (witness->program->loops[l].scope != left->scope)
            continue;
        trips->least = trips->entries && trips->least < turns ? trips->least : turns;
        trips->most = trips->most > turns ? trips->most : turns;
        trips->entries++;
        trips->turns += turns;
        unsigned bin = 0;
        while (turns >> bin)
            bin++;
        trips->bins[bin]++;
    }
}

void scope_witness_iterate(struct scope_witness *witness)
{
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

void scope_witness_see(struct scope_witness *witness, uint32_t reference, uint64_t address)
{
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
            const struct witness_block *last = &blocks[at - 1];
            size_t common = 0;
            while (common < last->path.depth && common < witness->path.depth &&
                   last->path.places[common].activation == witness->path.places[common].activation)
                common++;
            const struct witness_place *now = &witness->path.places[common - 1];
            expect(
                witness, s,
                (struct ft_reuse_pair){reference, last->reference, now->scope,
                                       now->iteration != last->path.places[common - 1].iteration},
                count - at);
            memmove(&blocks[at - 1], &blocks[at], (count - at) * sizeof *blocks);
            count--;
        }
        blocks[count] = (struct witness_block){number, reference, witness->path};
    }
}

void scope_witness_fini(struct scope_witness *witness)
{
    for (size_t s = 0; s < WITNESS_SIZES; s++) {
        free(witness->blocks[s]);
        free(witness->expected[s]);
    }
}
