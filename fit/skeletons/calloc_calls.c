#include "fit/skeletons/calloc_calls.h"

#include <stdlib.h>
#include <string.h>

#include "fit/skeletons/allocator.h"
#include "formats/x86/unit.h"

struct clearing {
    const struct ft_skeleton *largest;
    struct ft_placed_block *blocks; /* those that no call has cleared yet have is_cleared */
    uint32_t block_count;
    struct ft_nest *nest;
};

/* A call's repetitions, whose numbers begin at `number`: so many granules, or none. */
static void clear_in(const struct clearing *clearing, size_t at, size_t end, size_t number,
                     uint64_t granules)
{
    while (at < end) {
        const uint32_t *tokens = clearing->nest->tokens + at;
        const struct ft_nest_element element = ft_nest_element(tokens);
        const size_t body = at + element.head;
        if (element.kind == FT_NEST_REPEAT)
            clearing->nest->numbers[number] = granules;
        else if (granules == 0 && element.kind != FT_NEST_ACCESS &&
                 element.kind != FT_NEST_IRREGULAR)
            clear_in(clearing, body, body + element.length, number + element.counts, 0);
        number += ft_nest_element_numbers(&element, tokens);
        at = body + element.length;
    }
}

/* The first place that a call stores to; 0: none. */
static uint64_t first_store(const struct clearing *clearing, size_t at, size_t end, size_t number)
{
    uint64_t place = 0;
    while (at < end && !place) {
        const uint32_t *tokens = clearing->nest->tokens + at;
        const struct ft_nest_element element = ft_nest_element(tokens);
        const size_t body = at + element.head;
        if (element.kind != FT_NEST_ACCESS && element.kind != FT_NEST_IRREGULAR)
            place = first_store(clearing, body, body + element.length, number + element.counts);
        else if (element.kind == FT_NEST_ACCESS &&
                 clearing->largest->references[element.id].kind != FT_LOAD)
            place = clearing->nest->numbers[number];
        number += ft_nest_element_numbers(&element, tokens);
        at = body + element.length;
    }
    return place;
}

static void clear_call(const struct clearing *clearing, size_t at, size_t end, size_t number)
{
    const uint64_t place = first_store(clearing, at, end, number);
    const uint64_t block = (place - FT_PLACE_BLOCKS) / FT_PLACE_STEP;
    if (!ft_is_in_block(place) || block >= clearing->block_count ||
        !clearing->blocks[block].is_cleared || (place - FT_PLACE_BLOCKS) % FT_PLACE_STEP != 0)
        return;
    const struct ft_placed_block *cleared = &clearing->blocks[block];
    if (cleared->cleared_bytes < ft_allocator_usable(cleared->bytes))
        clear_in(clearing, at, end, number,
                 (cleared->cleared_bytes + FT_STRING_GRANULE_BYTES - 1) / FT_STRING_GRANULE_BYTES);
    clearing->blocks[block].is_cleared = false;
}

static void clear(const struct clearing *clearing, size_t at, size_t end, size_t number)
{
    const struct ft_skeleton *largest = clearing->largest;
    while (at < end) {
        const uint32_t *tokens = clearing->nest->tokens + at;
        const struct ft_nest_element element = ft_nest_element(tokens);
        const size_t body = at + element.head, next = body + element.length;
        if (element.kind == FT_NEST_ROUTINE &&
            ft_scope_is_string_routine(&largest->scopes, largest->routine_scopes[element.id]))
            clear_call(clearing, body, next, number);
        else if (element.kind != FT_NEST_ACCESS && element.kind != FT_NEST_IRREGULAR)
            clear(clearing, body, next, number + element.counts);
        number += ft_nest_element_numbers(&element, tokens);
        at = next;
    }
}

int ft_calloc_calls_place(const struct ft_skeleton *largest, const struct ft_placed_block *blocks,
                          uint32_t block_count, struct ft_nest *nest, struct ft_diag *diag)
{
    struct ft_placed_block *left = malloc((block_count + (size_t)1) * sizeof *left);
    if (!left)
        return ft_fail_memory(diag, "calls of calloc");
    memcpy(left, blocks, block_count * sizeof *left);
    const struct clearing clearing = {largest, left, block_count, nest};
    clear(&clearing, 0, nest->token_count, 0);
    free(left);
    return FT_OK;
}

uint64_t ft_calloc_left_out(const struct ft_placed_block *block)
{
    const uint64_t usable = ft_allocator_usable(block->bytes);
    return block->is_cleared && block->cleared_bytes < usable ? usable - block->cleared_bytes : 0;
}
