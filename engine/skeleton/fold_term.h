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
    uint64_t *first;  /* its numbers in the first iteration */
    uint64_t *steps;  /* by how much they change; of one iteration not set */
    uint32_t token_count, number_count;
    uint32_t block; /* terms that repeat: how many the body consists of; 0: an iteration */
};

#endif
