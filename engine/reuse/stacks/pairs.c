#include "engine/reuse/stacks/pairs.h"

#include <stdlib.h>
#include <string.h>

#include "engine/reuse/stacks/stack.h"
#include "formats/base/array.h"
#include "formats/histograms/reuse_pairs.h"

#define PLACE_BITS_MIN 11U
#define PLACE_BITS_MAX                                                                             \
    28U /* half of them: rows, whose chunks of tallies have numbers of 32 bits                     \
         */

/* ---- scopes ---- */

#define LEVELS_MIN 64U

/* Bits for the numbers 0 .. most. */
static unsigned bits_for(uint32_t max)
{
    return max ? 32 - (unsigned)__builtin_clz(max) : 0;
}

static bool reserve_levels(struct ft_scope_times *times, size_t count)
{
    return FT_RESERVE(times->levels, times->capacity, count) &&
           FT_RESERVE(times->entered, times->entered_capacity, FT_SCOPES_AT_ONCE + count);
}

int ft_scope_times_init(struct ft_scope_times *times, bool follows, uint32_t reference_count,
                        uint32_t thread, uint32_t thread_count, struct ft_diag *diag)
{
    *times = (struct ft_scope_times){
        .depth = 1,
        .thread = thread,
        .thread_bits = bits_for(thread_count - 1),
        /* without references, too: times are shifted by the rest of 64 */
        .reference_bits = reference_count ? bits_for(reference_count) : 1,
    };
    if (!reserve_levels(times, LEVELS_MIN))
        return ft_fail_memory(diag, "pairs of references");
    memset(times->entered, 0, (FT_SCOPES_AT_ONCE + 1) * sizeof *times->entered);
    /* Of the program all else is a part; its carrier is marked already where none is known. */
    times->levels[0] = (struct ft_timed_scope){.carrier = follows ? 0 : FT_NO_CARRIER};
    return FT_OK;
}

int ft_scope_times_reserve(struct ft_scope_times *times, const struct ft_scope_walk *walk,
                           struct ft_diag *diag)
{
    if (!reserve_levels(times, walk->depth_max + 1))
        return ft_fail_memory(diag, "the scopes of a thread");
    const unsigned bits = 64 - times->reference_bits - times->thread_bits;
    if ((times->now + walk->operation_count) >> bits)
        return ft_fail(diag, FT_ERROR_UNSUPPORTED,
                       "a thread enters and repeats loops more than 2^%u times: leave out --pairs",
                       bits);
    return FT_OK;
}

void ft_scope_times_fini(struct ft_scope_times *times)
{
    free(times->levels);
    free(times->entered);
    *times = (struct ft_scope_times){0};
}

/* ---- rows ---- */

static uint64_t slot_count(const struct ft_pairs *pairs)
{
    return pairs->slots ? UINT64_C(1) << pairs->slot_bits : 0;
}

static int grow_slots(struct ft_pairs *pairs, unsigned slot_bits, struct ft_diag *diag)
{
    const uint64_t mask = (UINT64_C(1) << slot_bits) - 1;
    struct ft_pair_slot *slots = calloc(mask + 1, sizeof *slots);
    if (!slots)
        return ft_fail_memory(diag, "pairs of references");
    for (uint64_t i = 0; i < slot_count(pairs); i++) {
        const struct ft_pair_slot *slot = &pairs->slots[i];
        if (slot->row == 0)
            continue;
        uint64_t at = ft_pair_hash(slot->source, slot->sink, slot->carrier, slot_bits);
        while (slots[at & mask].row)
            at++;
        slots[at & mask] = *slot;
    }
    free(pairs->slots);
    pairs->slots = slots;
    pairs->slot_bits = slot_bits;
    pairs->row_limit = (uint32_t)1 << (slot_bits - 1);
    return FT_OK;
}

/* Room in all that is counted by rows, of which there are twice as many as before. */
static int add_rows(struct ft_pairs *pairs, struct ft_stack *stacks, unsigned size_count,
                    struct ft_diag *diag)
{
    const unsigned slot_bits = pairs->slot_bits ? pairs->slot_bits + 1 : PLACE_BITS_MIN;
    if (slot_bits > PLACE_BITS_MAX)
        return ft_fail(diag, FT_ERROR_UNSUPPORTED, "more than 2^%u pairs of references",
                       PLACE_BITS_MAX - 1);
    int status = grow_slots(pairs, slot_bits, diag);
    const size_t end = (size_t)pairs->row_limit + 1;
    if (!status)
        status = ft_zero_array_reserve(
            &pairs->counts, ft_front_counter((uint32_t)end, 0, 0, size_count) * sizeof(uint64_t),
            diag);
    if (!status)
        status = ft_zero_array_reserve(&pairs->repeats, end * sizeof(uint64_t), diag);
    for (unsigned s = 0; !status && s < size_count; s++)
        status = ft_tally_widen(&stacks[s].tally, pairs->row_limit, diag);
    return status;
}

int ft_pairs_reserve(struct ft_pairs *pairs, struct ft_stack *stacks, unsigned size_count,
                     struct ft_diag *diag)
{
    int status = FT_OK;
    for (unsigned s = 0; !status && s < size_count; s++)
        status = ft_zero_array_reserve(&pairs->owners[s], stacks[s].block_count * sizeof(uint64_t),
                                       diag);
    if (!status && pairs->row_count + size_count > pairs->row_limit)
        status = add_rows(pairs, stacks, size_count, diag);
    return status;
}

uint64_t ft_pairs_bytes(const struct ft_pairs *pairs, const struct ft_stack *stacks,
                        unsigned size_count)
{
    const uint64_t row_bytes = (ft_front_counter(1, 0, 0, size_count) + 1) * sizeof(uint64_t);
    uint64_t bytes = slot_count(pairs) * sizeof *pairs->slots + (pairs->row_count + 1) * row_bytes;
    for (unsigned s = 0; s < size_count; s++)
        bytes += ft_stack_block_bytes(&stacks[s], sizeof(uint64_t));
    return bytes;
}

static struct ft_reuse_pair pair_of(const struct ft_pair_slot *slot)
{
    bool is_known = slot->carrier != FT_NO_CARRIER && slot->carrier != FT_CARRIER_THREADS;
    uint32_t unknown = slot->carrier == FT_NO_CARRIER ? FT_NO_SCOPE : FT_OTHER_THREAD;
    return (struct ft_reuse_pair){
        .sink = slot->sink,
        .source = slot->source - 1,
        .scope = is_known ? slot->carrier / 2 : unknown,
        .is_carried = is_known && slot->carrier % 2,
    };
}

/* The histogram of a row; without touches where the pair is one of other sizes. */
static int row_histogram(const struct ft_pairs *pairs, const struct ft_stack *stacks,
                         unsigned size_count, unsigned size, uint32_t row,
                         struct ft_histogram *ret_histogram, struct ft_diag *diag)
{
    const uint64_t *front = pairs->counts.items;
    uint64_t counts[FT_FRONT_BLOCKS];
    for (unsigned distance = 0; distance < FT_FRONT_BLOCKS; distance++)
        counts[distance] = front[ft_front_counter(row, distance, size, size_count)];
    counts[0] += ((const uint64_t *)pairs->repeats.items)[row];
    return ft_tally_histogram(&stacks[size].tally, row, counts, FT_FRONT_BLOCKS, ret_histogram,
                              diag);
}

int ft_pairs_finish(const struct ft_pairs *pairs, const struct ft_stack *stacks,
                    unsigned size_count, unsigned size, struct ft_reuse_pairs *ret_pairs,
                    struct ft_diag *diag)
{
    struct ft_reuse_pairs made = {
        .pairs = malloc((pairs->row_count + (size_t)1) * sizeof *made.pairs),
        .histograms = calloc(pairs->row_count + (size_t)1, sizeof *made.histograms)};
    int status =
        made.pairs && made.histograms ? FT_OK : ft_fail_memory(diag, "pairs of references");
    for (uint64_t i = 0; !status && i < slot_count(pairs); i++) {
        const struct ft_pair_slot *slot = &pairs->slots[i];
        struct ft_histogram *histogram = &made.histograms[made.count];
        if (slot->row == 0)
            continue;
        status = row_histogram(pairs, stacks, size_count, size, slot->row, histogram, diag);
        if (status || histogram->touches == 0)
            continue;
        made.pairs[made.count++] = pair_of(slot);
    }
    if (!status)
        status = ft_reuse_pairs_sort(&made, diag);
    if (status)
        ft_reuse_pairs_fini(&made);
    else
        *ret_pairs = made;
    return status;
}

void ft_pairs_fini(struct ft_pairs *pairs)
{
    for (unsigned s = 0; s < FT_BLOCK_SIZES_MAX; s++)
        ft_zero_array_fini(&pairs->owners[s]);
    ft_zero_array_fini(&pairs->repeats);
    ft_zero_array_fini(&pairs->counts);
    free(pairs->slots);
    *pairs = (struct ft_pairs){0};
}
