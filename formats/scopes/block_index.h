/*
 * Which basic block of a program holds an instruction, which edges leave a block, and which module
 * of one trace is which in another.
 */
#ifndef FT_FORMATS_SCOPES_BLOCK_INDEX_H
#define FT_FORMATS_SCOPES_BLOCK_INDEX_H

#include "formats/scopes/scopes.h"

/* Blocks, which do not overlap, by module and offset. */
struct ft_block_index {
    const struct ft_scopes *scopes; /* not owned */
    uint32_t *order;                /* [scopes->block_count] */
};

/* False if out of memory. */
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
/* The position in the order of the first edge from a block to another one or to one after it. */
size_t ft_block_edges_find(const struct ft_block_edges *edges, uint32_t from, uint32_t to);

/* map[module of `from`] = the index of the same module in `to`, or FT_NO_MODULE; malloc'ed, NULL if
 * out of memory. */
uint32_t *ft_map_modules(const struct ft_scopes *from, const struct ft_scopes *to);

#endif
