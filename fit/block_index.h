/*
 * Which basic block of a program holds an instruction, which edges leave a block, and which module
 * of one trace is which of another.
 */
#ifndef FT_FIT_BLOCK_INDEX_H
#define FT_FIT_BLOCK_INDEX_H

#include "formats/scopes/scopes.h"

/* Blocks by place: they do not overlap. */
struct ft_block_index {
    const struct ft_scopes *scopes; /* not owned */
    uint32_t *order;                /* [scopes->block_count] */
};

/* False where memory runs out. */
bool ft_block_index_init(struct ft_block_index *index, const struct ft_scopes *scopes);
void ft_block_index_fini(struct ft_block_index *index);
/* The block that holds an instruction, or NULL. */
const struct ft_block *ft_block_index_find(const struct ft_block_index *index, uint32_t module,
                                           uint64_t offset);

/* Edges by the block that they leave, then by the one that they enter. */
struct ft_block_edges {
    const struct ft_scopes *scopes; /* not owned */
    uint32_t *order;                /* [scopes->edge_count] */
};

bool ft_block_edges_init(struct ft_block_edges *edges, const struct ft_scopes *scopes);
void ft_block_edges_fini(struct ft_block_edges *edges);
/* The first place in the order of an edge from a block to another one or one behind that. */
size_t ft_block_edges_find(const struct ft_block_edges *edges, uint32_t from, uint32_t to);

/* map[module of `from`] = the same module's index in `to`, or FT_NO_MODULE; malloc'ed, NULL where
 * memory runs out. */
uint32_t *ft_map_modules(const struct ft_scopes *from, const struct ft_scopes *to);

#endif
