#include "engine/skeleton/placing.h"

#define MARGIN_BYTES 64U

/* What a place is relative to: places of one are as far apart as addresses. */
static uint64_t base_of(uint64_t place)
{
    return ft_is_in_block(place)   ? 1 + (place - FT_PLACE_BLOCKS) / FT_PLACE_STEP
           : ft_is_on_stack(place) ? UINT64_MAX
                                   : 0;
}

/* Behind the end of a block, or before its start. Code reads a little of both. */
static bool is_outside(const struct ft_placed_block *block, uint64_t offset)
{
    return offset >= block->bytes + MARGIN_BYTES && 0 - offset > MARGIN_BYTES && block->bytes;
}

/* The block whose start is nearest to a place, and the offset from there. NULL: in none. */
static const struct ft_placed_block *block_of(const struct ft_places *places, uint64_t place,
                                              uint64_t *ret_offset)
{
    const uint64_t shifted = place + FT_PLACE_STEP / 2,
                   block = (shifted - FT_PLACE_BLOCKS) / FT_PLACE_STEP;
    *ret_offset = (shifted - FT_PLACE_BLOCKS) % FT_PLACE_STEP - FT_PLACE_STEP / 2;
    return ft_is_in_block(shifted) && block < places->block_count ? &places->blocks[block] : NULL;
}

uint64_t ft_place_address(const struct ft_places *places, uint64_t place)
{
    uint64_t offset;
    const struct ft_placed_block *block = block_of(places, place, &offset);
    if (ft_is_on_stack(place))
        return places->stack + (place - FT_PLACE_STACK);
    if (!block)
        return place;
    if (is_outside(block, offset))
        offset = offset >> 63 ? block->bytes - 1 - (~offset) % block->bytes : offset % block->bytes;
    return block->address + offset;
}

bool ft_places_stay(const struct ft_places *places, uint64_t start, uint64_t end)
{
    uint64_t offsets[2];
    const struct ft_placed_block *block = block_of(places, start, &offsets[0]);
    return base_of(start) == base_of(end) && block == block_of(places, end, &offsets[1]) &&
           !(block && (is_outside(block, offsets[0]) || is_outside(block, offsets[1])));
}
