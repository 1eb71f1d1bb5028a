/*
 * The nests of a program at several sizes as one tree. What several sizes have is one node: matched
 * in its order, under the same routines and loops; parts of a loop by how similar what they run is.
 * What only some sizes have, such as a remainder loop, stands where these have it. An iteration
 * that is not repeated at one size is the same part as a repetition at another. Lists of levels
 * (level_lists.h) are nodes without children: which levels are alike is found out elsewhere.
 */
#ifndef FT_FIT_SKELETONS_NEST_TREE_H
#define FT_FIT_SKELETONS_NEST_TREE_H

#include "fit/skeletons/level_lists.h"
#include "formats/skeleton/nest_check.h"

#define FT_TREE_END SIZE_MAX

struct ft_tree_node {
    enum ft_nest_kind kind; /* of a part that is repeated at one size or more: that of these */
    uint32_t id;
    size_t child, next;   /* nodes, or FT_TREE_END */
    uint64_t sizes;       /* bit: size that has it */
    uint64_t repeated;    /* likewise, where it is a part that is repeated: REPEAT, CYCLE */
    uint64_t shape;       /* hash of what it runs, however often */
    uint64_t contents[4]; /* bits: references in it, by hash */
    bool is_foreign;      /* the largest size has no such code */
};

/* Of a node, in the nest of a size. */
struct ft_tree_place {
    uint32_t number; /* its first one */
    uint32_t body;   /* numbers of a repetition's body */
    uint32_t token;  /* where it begins... */
    uint32_t length; /* ...and how many tokens it has; 0: the size has no such node */
};

struct ft_nest_tree {
    struct ft_tree_node *nodes;
    struct ft_tree_place *places; /* [node * size_count + size] */
    size_t count, capacity, place_capacity;
    size_t size_count;
    struct ft_nest_ids ids;
    size_t root; /* the first node */
    bool are_levels;
};

/* A column of a tree: tokens of a nest, which a size, or a level of one, has. */
struct ft_tree_span {
    const struct ft_nest *nest;
    size_t token, length, number; /* where they begin */
};
/* Of levels of sizes: at most 64. */
int ft_nest_tree_make_levels(const struct ft_tree_span *spans, size_t span_count,
                             const struct ft_nest_ids *ids, struct ft_nest_tree *ret_tree,
                             struct ft_diag *diag);
/* nests: by ascending size, at most 64, with tokens of the same ids (same_code.h); ids: how many
 * the largest size has. */
int ft_nest_tree_make(const struct ft_nest *nests, size_t size_count, const struct ft_nest_ids *ids,
                      struct ft_nest_tree *ret_tree, struct ft_diag *diag);
void ft_nest_tree_fini(struct ft_nest_tree *tree);

static inline bool ft_tree_is_part(const struct ft_tree_node *node)
{
    return ft_nest_is_part(node->kind);
}

#endif
