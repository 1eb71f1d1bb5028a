/*
 * Which basic block of a program holds an instruction, and which module of one trace is which of
 * another.
 */
#ifndef FT_FIT_BLOCK_PLACES_H
#define FT_FIT_BLOCK_PLACES_H

#include "formats/scopes.h"

/* Blocks by place: they do not overlap. */
struct ft_block_places {
    const struct ft_scopes *scopes; /* not owned */
    uint32_t *order;                /* [scopes->block_count] */
};

/* False where memory runs out. */
bool ft_block_places_init(struct ft_block_places *places, const struct ft_scopes *scopes);
void ft_block_places_fini(struct ft_block_places *places);
/* The block that holds an instruction, or NULL. */
const struct ft_block *ft_block_places_find(const struct ft_block_places *places, uint32_t module,
                                            uint64_t offset);

/* map[module of `from`] = the same module's index in `to`, or FT_NO_MODULE; malloc'ed, NULL where
 * memory runs out. */
uint32_t *ft_map_modules(const struct ft_scopes *from, const struct ft_scopes *to);

#endif
