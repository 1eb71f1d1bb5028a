#include "engine/replay/pairs.h"

#include <stdlib.h>

#include "engine/replay/stack.h"
#include "formats/base/array.h"
#include "formats/reuse_pairs.h"

#define PLACES_MIN 1024U

/* ---- scopes ---- */

#define LEVELS_MIN 64U

/* Bits for the numbers 0 .. most. */
static unsigned bits_for(uint32_t most)
{
    return most ? 32 - (unsigned)__builtin_clz(most) : 0;
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
    if (!FT_RESERVE(times->levels, times->capacity, LEVELS_MIN))
        return ft_fail_memory(diag, "pairs of references");
    /* Of the program all else is a part; its carrier is marked already where none is known. */
    times->levels[0] = (struct ft_timed_scope){.carrier = follows ? 0 : FT_NO_CARRIER};
    return FT_OK;
}

int ft_scope_times_reserve(struct ft_scope_times *times, const struct ft_scope_walk *walk,
                           struct ft_diag *diag)
{
    if (!FT_RESERVE(times->levels, times->capacity, walk->depth_most + 1))
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
    *times = (struct ft_scope_times){0};
}

/* ---- rows ---- */

static int grow_places(struct ft_pairs *pairs, uint64_t place_count, struct ft_diag *diag)
{
    struct ft_pair_place *places = calloc(place_count, sizeof *places);
    if (!places)
        return ft_fail_memory(diag, "pairs of references");
    for (uint64_t i = 0; i < pairs->place_count; i++) {
        const struct ft_pair_place *place = &pairs->places[i];
        uint64_t at = ft_pair_hash(place->source, place->sink, place->carrier);
        if (place->row == 0)
            continue;
        while (places[at & (place_count - 1)].row)
            at++;
        places[at & (place_count - 1)] = *place;
    }
    free(pairs->places);
    pairs->places = places;
    pairs->place_count = place_count;
    return FT_OK;
}

int ft_pairs_reserve(struct ft_pairs *pairs, struct ft_stack *stack, size_t touch_count,
                     struct ft_diag *diag)
{
    uint64_t rows = pairs->row_count + touch_count;
    uint64_t place_count = pairs->place_count ? pairs->place_count : PLACES_MIN;
    if (rows >= UINT32_MAX / FT_TALLY_CHUNKS)
        return ft_fail(diag, FT_ERROR_UNSUPPORTED, "more than 2^27 pairs of references");
    while (place_count <= 2 * rows)
        place_count *= 2;
    int status = place_count > pairs->place_count ? grow_places(pairs, place_count, diag) : FT_OK;
    if (!status)
        status = ft_zero_array_reserve(&pairs->owners, stack->block_count * sizeof(uint64_t), diag);
    if (!status)
        status = ft_zero_array_reserve(&pairs->counts,
                                       (rows + 1) * FT_FRONT_BLOCKS * sizeof(uint64_t), diag);
    return status ? status : ft_tally_widen(&stack->tally, (uint32_t)rows, diag);
}

uint64_t ft_pairs_bytes(const struct ft_pairs *pairs, const struct ft_stack *stack)
{
    uint64_t row_bytes =
        FT_FRONT_BLOCKS * sizeof(uint64_t) + FT_TALLY_CHUNKS * sizeof(uint32_t) + sizeof(uint64_t);
    return ft_stack_block_bytes(stack, sizeof(uint64_t)) +
           pairs->place_count * sizeof *pairs->places + (pairs->row_count + 1) * row_bytes;
}

static struct ft_reuse_pair pair_of(const struct ft_pair_place *place)
{
    bool is_known = place->carrier != FT_NO_CARRIER && place->carrier != FT_CARRIER_THREADS;
    uint32_t unknown = place->carrier == FT_NO_CARRIER ? FT_NO_SCOPE : FT_OTHER_THREAD;
    return (struct ft_reuse_pair){
        .sink = place->sink,
        .source = place->source - 1,
        .scope = is_known ? place->carrier / 2 : unknown,
        .is_carried = is_known && place->carrier % 2,
    };
}

int ft_pairs_finish(const struct ft_pairs *pairs, const struct ft_stack *stack,
                    struct ft_reuse_pairs *ret_pairs, struct ft_diag *diag)
{
    struct ft_reuse_pairs made = {
        .pairs = malloc((pairs->row_count + (size_t)1) * sizeof *made.pairs),
        .histograms = calloc(pairs->row_count + (size_t)1, sizeof *made.histograms)};
    int status =
        made.pairs && made.histograms ? FT_OK : ft_fail_memory(diag, "pairs of references");
    for (uint64_t i = 0; !status && i < pairs->place_count; i++) {
        const struct ft_pair_place *place = &pairs->places[i];
        if (place->row == 0)
            continue;
        const uint64_t *front =
            (const uint64_t *)pairs->counts.items + (size_t)place->row * FT_FRONT_BLOCKS;
        made.pairs[made.count] = pair_of(place);
        status = ft_tally_histogram(&stack->tally, place->row, front, FT_FRONT_BLOCKS,
                                    &made.histograms[made.count], diag);
        made.count += status == FT_OK;
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
    ft_zero_array_fini(&pairs->owners);
    ft_zero_array_fini(&pairs->counts);
    free(pairs->places);
    *pairs = (struct ft_pairs){0};
}
