/*
 * The laws of nests that are one tree (nest_tree.h). Leaves, which are accesses outside of
 * repetitions, and whole repetitions, follow laws if the numbers of nearly all of their accesses
 * do; otherwise they stay as the largest size has them. Numbers that a size does not have, such as
 * addresses in a remainder loop that does not run there, are learned from the others.
 */
#ifndef FT_FIT_SKELETONS_NEST_LAWS_H
#define FT_FIT_SKELETONS_NEST_LAWS_H

#include "fit/skeletons/law_search.h"
#include "fit/skeletons/nest_tree.h"

struct ft_nest_laws {
    struct ft_nest nest; /* the largest size's, with parts that run 0 times there */
    bool *is_sized;      /* [token]: leaves that follow laws; in these, accesses that do not */
    struct ft_sized_number *numbers;
    size_t number_count, number_capacity;
};
void ft_nest_laws_fini(struct ft_nest_laws *laws);

/* nests: those that the tree was made of. */
int ft_nest_laws_learn(const struct ft_nest_tree *tree, const struct ft_nest *nests,
                       struct ft_law_search *search, struct ft_nest_laws *ret_laws,
                       struct ft_diag *diag);

/* Accesses of the nest. */
struct ft_lawful_accesses {
    double lawful, others;
};
int ft_nest_laws_count(const struct ft_nest_laws *laws, struct ft_lawful_accesses *ret_accesses,
                       struct ft_diag *diag);

#endif
