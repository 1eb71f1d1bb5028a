/*
 * Which scope touched which blocks, as bitmaps: one piece per scope and group of neighbouring
 * blocks (block_times.h). The sets of larger blocks follow from those of the smallest, since a
 * block is touched if any part of it is. One thread at a time.
 */
#ifndef FT_ENGINE_FOOTPRINT_SCOPE_SETS_H
#define FT_ENGINE_FOOTPRINT_SCOPE_SETS_H

#include "engine/footprint/block_times.h"
#include "formats/scopes/scopes.h"

struct ft_scope_piece {
    uint32_t group; /* UINT32_MAX: none */
    uint32_t piece;
};

struct ft_scope_sets {
    struct ft_dense_ids pieces;  /* by scope and group */
    struct ft_zero_array bits;   /* uint64_t [piece * FT_GROUP_BLOCKS / 64 + word] */
    struct ft_scope_piece *last; /* [scope]: the piece that it used last */
};

int ft_scope_sets_init(struct ft_scope_sets *sets, size_t scope_count, struct ft_diag *diag);
void ft_scope_sets_fini(struct ft_scope_sets *sets);
uint64_t ft_scope_sets_bytes(const struct ft_scope_sets *sets);

/* Finds or adds a piece and makes it the scope's last one. */
int ft_scope_sets_find(struct ft_scope_sets *sets, uint32_t scope, uint32_t group,
                       struct ft_diag *diag);

/* number: of the block (ft_block_times_find). */
static inline int ft_scope_sets_add(struct ft_scope_sets *sets, uint32_t scope, uint64_t number,
                                    struct ft_diag *diag)
{
    uint32_t group = (uint32_t)(number >> FT_GROUP_BITS);
    if (sets->last[scope].group != group) {
        int status = ft_scope_sets_find(sets, scope, group, diag);
        if (status)
            return status;
    }
    uint64_t bit =
        (uint64_t)sets->last[scope].piece << FT_GROUP_BITS | (number & (FT_GROUP_BLOCKS - 1));
    ((uint64_t *)sets->bits.items)[bit / 64] |= UINT64_C(1) << bit % 64;
    return 0;
}

/* Distinct blocks of each scope (inclusive) at each size: ret_blocks[scope * size_count + size].
 * block_bytes ascends from the size whose blocks were added; groups: those that number them. Call
 * once, at the end. */
int ft_scope_sets_count(struct ft_scope_sets *sets, const struct ft_scopes *scopes,
                        const struct ft_dense_ids *groups, const uint64_t *block_bytes,
                        size_t size_count, uint64_t *ret_blocks, struct ft_diag *diag);

#endif
