/*
 * Writes nodes of a tree of nests (nest_tree.h) as tokens of one nest, with, for each number, where
 * it is at each size: in the nest there, or known without, as the trip count of a part that does
 * not run is 0; or not known. Levels of a list (level_lists.h) are written as parts that run where
 * there are so many.
 */
#ifndef FT_FIT_SKELETONS_NEST_WRITING_H
#define FT_FIT_SKELETONS_NEST_WRITING_H

#include "fit/skeletons/level_laws.h"
#include "fit/skeletons/nest_tree.h"
#include "formats/skeleton/nest_executions.h"
#include "formats/skeleton/sized_skeleton.h"

enum ft_origin_kind { FT_ORIGIN_UNKNOWN, FT_ORIGIN_CONSTANT, FT_ORIGIN_NUMBER };

/* Of a number, at a size. */
struct ft_origin {
    enum ft_origin_kind kind;
    uint64_t at; /* the number in the size's nest, or the constant */
};

/* Levels that were written one behind the other, each as a part that runs once or not at all: its
 * count, and as many numbers as its body has, twice. */
struct ft_written_levels {
    size_t first;  /* number: the count of the first one written */
    size_t copies; /* how many were written */
    size_t body;
    size_t fine;      /* levels before them, as far as the size's own */
    bool falls;       /* the first one written is the last of them */
    bool are_steps;   /* of what is around: counts do not change */
    uint64_t largest; /* how many there are at the largest size */
    uint64_t rate;    /* by how many more with each doubling */
};

struct ft_nest_writing;
/* node: a list of levels. */
typedef int ft_levels_writer(struct ft_nest_writing *writing, size_t node, uint64_t sizes);

struct ft_nest_writing {
    ft_levels_writer *write_levels;
    const struct ft_nest_tree *tree;
    const struct ft_nest *nests; /* [size] */
    const uint8_t *size_of;      /* [column of the tree]; NULL: columns are sizes */
    const double *sizes;         /* [size] */
    struct ft_nest *into;        /* its tokens */
    struct ft_origin *origins;   /* [number * columns + column] */
    size_t origin_count, origin_capacity;
    struct ft_written_levels *levels;
    size_t levels_count, levels_capacity;
    /* [size]: of its nest; and accesses that were left out, as the largest size has no such code.
     */
    const struct ft_nest_executions *executions;
    double *foreign;
    struct ft_diag *diag;
};
void ft_nest_writing_fini(struct ft_nest_writing *writing);

/* The nodes up to an end that one of the sizes has. */
int ft_nest_write_list(struct ft_nest_writing *writing, size_t first, size_t end, uint64_t sizes);
/* Whether a node must be put into a repetition of 0 or 1 iterations, as some of the sizes do not
 * have it. */
bool ft_is_optional(const struct ft_nest_writing *writing, size_t node, uint64_t sizes);
/* The node behind those which the same sizes have, from one on that is optional. */
size_t ft_end_of_option(const struct ft_nest_writing *writing, size_t first, uint64_t sizes);
/* Of a node at a size. */
double ft_node_accesses(const struct ft_nest_writing *writing, size_t node, size_t column);

static inline const struct ft_tree_node *ft_node_at(const struct ft_nest_writing *writing,
                                                    size_t node)
{
    return &writing->tree->nodes[node];
}

/* [column] */
static inline const struct ft_tree_place *ft_node_places(const struct ft_nest_writing *writing,
                                                         size_t node)
{
    return writing->tree->places + node * writing->tree->size_count;
}

static inline size_t ft_size_of(const struct ft_nest_writing *writing, size_t column)
{
    return writing->size_of ? writing->size_of[column] : column;
}

/* The origins of one more number, none known; NULL: out of memory. */
struct ft_origin *ft_add_origins(struct ft_nest_writing *writing);

#endif
