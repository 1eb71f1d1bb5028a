/*
 * Which loops keep the iterations of a loop from folding: where neighbouring iterations differ in
 * what they run, or in a number that does not progress, the innermost loop around that place is
 * irregular; where that is in no inner loop, the loop itself.
 */
#ifndef FT_ENGINE_SKELETON_IRREGULAR_SEARCH_H
#define FT_ENGINE_SKELETON_IRREGULAR_SEARCH_H

#include "engine/skeleton/folding.h"

/* A loop in its calling context. */
struct ft_nest_context {
    uint64_t hash;  /* of the tokens of the routines and loops from the outermost to it */
    uint32_t token; /* the last of them */
};
struct ft_nest_context ft_nest_context_inside(struct ft_nest_context around, uint32_t token);

typedef int ft_irregular_finder(void *context, struct ft_nest_context loop, struct ft_diag *diag);
/* loop: that of the folding. Calls for each loop found, several times if need be. */
int ft_irregular_search_terms(const struct ft_folding *folding, struct ft_nest_context loop,
                              ft_irregular_finder *found, void *context, struct ft_diag *diag);
/* The innermost loop of several terms in what takes most of a body; itself where there is none. */
struct ft_nest_context ft_irregular_search_body(const struct ft_nest *body,
                                                struct ft_nest_context loop);

#endif
