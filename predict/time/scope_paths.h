/*
 * The paths through a scope's own blocks, from how often blocks and the edges between them run: the
 * most frequent first, each as often as its rarest block or edge (Marin & Mellor-Crummey 2004,
 * section 2.4). A path that comes back to its start repeats; one that leads into another scope, a
 * loop inside, a callee or out, does not. Counts are real numbers: they are forecasts. Pure.
 */
#ifndef FT_PREDICT_TIME_SCOPE_PATHS_H
#define FT_PREDICT_TIME_SCOPE_PATHS_H

#include "formats/scopes/scopes.h"

#define FT_SCOPE_PATHS_MAX 32U

struct ft_scope_path {
    uint32_t first, block_count; /* blocks[first ...] of the paths, in order */
    double count;                /* of executions; of a path that repeats of iterations */
    bool repeats;
};

struct ft_scope_paths {
    struct ft_scope_path items[FT_SCOPE_PATHS_MAX];
    uint32_t count;
    uint32_t *blocks; /* of the scopes; owned */
    size_t block_count, block_capacity;
};

/* The blocks of each scope, and the edges of each block. */
struct ft_scope_flow {
    const struct ft_scopes *scopes;     /* the caller's */
    uint32_t *blocks, *first_block;     /* blocks[first_block[scope] .. first_block[scope + 1]) */
    uint32_t *edges, *first_edge;       /* likewise, of a block as `from` */
    double *block_counts, *edge_counts; /* [block], [edge]: to be filled in; what the paths found
                                           since have not used up */
    uint32_t *place;                    /* [block]: workspace */
};

int ft_scope_flow_make(const struct ft_scopes *scopes, struct ft_scope_flow *ret_flow,
                       struct ft_diag *diag);
void ft_scope_flow_fini(struct ft_scope_flow *flow);

/* Uses up the counts of the scope's blocks and edges; what is rare is left. paths: {0} or used
 * before. */
int ft_scope_paths_find(struct ft_scope_flow *flow, uint32_t scope, struct ft_scope_paths *paths,
                        struct ft_diag *diag);
void ft_scope_paths_fini(struct ft_scope_paths *paths);

#endif
