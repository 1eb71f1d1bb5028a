/*
 * Where control comes from: which block most often leads to each one, by how often the edges
 * between them run. Pure.
 */
#ifndef FT_PREDICT_TIME_SCOPE_ENTRIES_H
#define FT_PREDICT_TIME_SCOPE_ENTRIES_H

#include "formats/scopes/scopes.h"

/* Walks back end there. */
#define FT_ENTRY_BLOCKS_MAX   4U
#define FT_BETWEEN_BLOCKS_MAX 16U

struct ft_scope_entries {
    const struct ft_scopes *scopes; /* the caller's */
    /* [block]: the one that leads to it most often, of all, of those around its scope, and of its
     * own */
    uint32_t *from, *from_around, *from_own;
    /* [block]: how often control comes from outside of its scope, and not from one inside it */
    double *entered;
};

/* edge_counts: [edge]. */
int ft_scope_entries_find(const struct ft_scopes *scopes, const double *edge_counts,
                          struct ft_scope_entries *ret_entries, struct ft_diag *diag);
void ft_scope_entries_fini(struct ft_scope_entries *entries);

/* What most often runs before a loop that begins with that block, as far as that is straight-line
 * code of the scope around it: at most FT_ENTRY_BLOCKS_MAX blocks, in order; how many. */
uint32_t ft_scope_entries_before(const struct ft_scope_entries *entries, uint32_t block,
                                 uint32_t *ret_blocks);
/* What most often runs between two runs of a loop: at most FT_BETWEEN_BLOCKS_MAX blocks, in order;
 * false: more than that, or the loop does not follow itself. */
bool ft_scope_entries_between(const struct ft_scope_entries *entries, uint32_t block,
                              uint32_t *ret_blocks, uint32_t *ret_count);

#endif
