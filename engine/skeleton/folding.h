/*
 * Folds the iterations of one entry of a loop, as they come, into terms: iterations of one shape
 * whose numbers change by the same amounts, and terms that repeat, such as those of a loop that
 * does two things in turn (nested loop recognition: Ketterlin & Clauss, CGO 2008, section 3; here
 * per loop, so bodies may have any length).
 *
 * What is left over at the ends, a peeled first iteration, an odd last one, is a term of its own.
 * The terms in order give back the iterations exactly. One thread at a time.
 */
#ifndef FT_ENGINE_SKELETON_FOLDING_H
#define FT_ENGINE_SKELETON_FOLDING_H

#include "engine/skeleton/fold_term.h"

struct ft_folding {
    struct ft_fold_term *terms;
    size_t term_count, capacity;
    size_t words;    /* tokens and numbers held */
    bool keeps_runs; /* parts of several iterations are not taken apart for a cycle (cycles.h) */
};

/* Memory that foldings of one thread share. */
struct ft_fold_scratch {
    struct ft_nest blocks[3];
};
void ft_fold_scratch_fini(struct ft_fold_scratch *scratch);

/* Whether the bodies have the same tokens. */
bool ft_fold_same_shape(const struct ft_fold_term *a, const struct ft_fold_term *b);

void ft_folding_fini(struct ft_folding *folding);
/* Removes all terms. */
void ft_folding_clear(struct ft_folding *folding);
/* The next iteration. */
int ft_folding_add(struct ft_folding *folding, const struct ft_nest *iteration,
                   struct ft_fold_scratch *scratch, struct ft_diag *diag);
/* The loop is left: appends the terms. */
int ft_folding_end(struct ft_folding *folding, struct ft_nest *into,
                   struct ft_fold_scratch *scratch, struct ft_diag *diag);

#endif
