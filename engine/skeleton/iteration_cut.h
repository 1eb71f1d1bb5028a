/*
 * Iterations of a loop cut in two: what progresses from one to the next, and what depends on data,
 * such as a row that is swapped if it is not the right one. The former is folded; of the latter a
 * token is left where each piece of it may run, and all pieces of an iteration are a path of an
 * irregular loop (irregular.h), whose iterations are those of the loop. In the path each piece ends
 * with the same token.
 *
 * Iterations are cut at anchors: accesses, inner loops, and starts and ends of activations that
 * nearly all iterations have, in one order. Anchors, and what is between two of them, are columns.
 */
#ifndef FT_ENGINE_SKELETON_ITERATION_CUT_H
#define FT_ENGINE_SKELETON_ITERATION_CUT_H

#include "formats/skeleton/nest.h"

/* An element of an iteration. */
struct ft_cut_element {
    uint32_t token;       /* of a bracket, its first; of what a string instruction repeats, the
                             first access */
    bool is_open, closes; /* an activation starts, ends */
    size_t at, length;    /* its tokens in the iteration; of an activation none */
    size_t number, numbers;
};

enum ft_cut_use {
    FT_CUT_KEPT,   /* progresses */
    FT_CUT_DRAWN,  /* depends on data */
    FT_CUT_DROPPED /* is not looked at: to try others without it */
};

struct ft_iteration_cut {
    struct ft_cut_element *anchors; /* what they are; not where */
    size_t anchor_count;
    enum ft_cut_use *uses; /* [ft_cut_columns()]: what is before an anchor, then the anchor... */
};
static inline size_t ft_cut_columns(const struct ft_iteration_cut *cut)
{
    return 2 * cut->anchor_count + 1;
}
void ft_iteration_cut_fini(struct ft_iteration_cut *cut);
bool ft_iteration_cut_copy(const struct ft_iteration_cut *cut, struct ft_iteration_cut *ret_copy);

/* The elements of an iteration, for several in turn. */
struct ft_cut_elements {
    struct ft_cut_element *elements;
    size_t *columns; /* that each is in, by a cut */
    size_t count, capacity, column_capacity;
};
void ft_cut_elements_fini(struct ft_cut_elements *elements);
bool ft_cut_elements_find(struct ft_cut_elements *elements, const struct ft_nest *iteration);
static inline bool ft_cut_is_same(const struct ft_cut_element *a, const struct ft_cut_element *b)
{
    return a->token == b->token && a->closes == b->closes;
}
/* False: out of memory. */
bool ft_cut_elements_place(struct ft_cut_elements *elements, const struct ft_iteration_cut *cut);

/* kept, drawn: cleared first. irregular: the irregular loop's token. Where activations would be
 * torn all is kept. */
bool ft_iteration_cut_apply(const struct ft_iteration_cut *cut, const struct ft_nest *iteration,
                            uint32_t irregular, struct ft_cut_elements *elements,
                            struct ft_nest *kept, struct ft_nest *drawn);

#endif
