/*
 * Addresses of places (formats/skeleton/places.h), for given blocks and stack. What is far outside
 * of its block, as numbers drawn at random may be, goes around in it.
 */
#ifndef FT_ENGINE_SKELETON_PLACING_H
#define FT_ENGINE_SKELETON_PLACING_H

#include "formats/skeleton/places.h"

struct ft_places {
    const struct ft_placed_block *blocks; /* [block] */
    uint32_t block_count;
    uint64_t stack; /* the stack pointer at the start */
};

uint64_t ft_place_address(const struct ft_places *places, uint64_t place);
/* Whether all places between two are as far from each other as their addresses. */
bool ft_places_stay(const struct ft_places *places, uint64_t start, uint64_t end);

#endif
