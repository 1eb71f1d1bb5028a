/*
 * Iterations of a loop that are one term of its folding (folding.h). Plain data, of the folding.
 */
#ifndef FT_ENGINE_SKELETON_FOLD_TERM_H
#define FT_ENGINE_SKELETON_FOLD_TERM_H

#include "formats/skeleton/nest.h"

/* Longest sequence of terms that is recognised when it repeats. */
#define FT_FOLD_BLOCK_MAX 32U

struct ft_fold_term {
    uint64_t count;   /* iterations */
    uint64_t hash;    /* of the tokens and of whether there are several iterations */
    uint32_t *tokens; /* of the body */
    uint64_t *first; /* its numbers in the first iteration; if geometric, all rows of such a nest */
    uint64_t *steps; /* by how much they change; of one iteration not set */
    uint32_t token_count, number_count;
    uint32_t block;    /* terms that repeat: how many the body consists of; 0: an iteration */
    bool is_geometric; /* numbers double or halve (geometric.h) */
};

/* The k-th number of the iteration i, of terms of two iterations or more. */
static inline uint64_t ft_fold_number_at(const struct ft_fold_term *term, size_t k, uint64_t i)
{
    const struct ft_nest_element element = {.kind = term->is_geometric ? FT_NEST_GEOMETRIC
                                                                       : FT_NEST_REPEAT,
                                            .body = term->number_count};
    return ft_nest_number_at(&element, term->first, k, i);
}
/* Words that it holds. */
static inline size_t ft_fold_term_words(const struct ft_fold_term *term)
{
    return term->token_count +
           (term->is_geometric ? FT_NEST_GEOMETRIC_ROWS : 2) * (size_t)term->number_count;
}

#endif
