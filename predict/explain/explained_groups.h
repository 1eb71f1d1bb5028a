/*
 * The groups of an explanation (explanation.h): of the accesses that a synthesis makes, with exact
 * misses and what carries them; or of a model's histograms.
 */
#ifndef FT_PREDICT_EXPLAIN_EXPLAINED_GROUPS_H
#define FT_PREDICT_EXPLAIN_EXPLAINED_GROUPS_H

#include "engine/simulate/simulate.h"
#include "fit/skeletons/synthesis.h"
#include "predict/explain/carried_misses.h"
#include "predict/explain/explanation.h"

struct ft_synthetic_evidence {
    const struct ft_synthesis *synthesis;
    double size;
    const struct ft_simulation *simulation; /* of the machine's levels, and caches without end of
                                               their block sizes behind them */
    const size_t *endless;                  /* [level]: the cache without end of its block size */
    const struct ft_carried_misses *carried;
};

/* Of references in the explanation's scope. Adds them to an explanation that has none. */
int ft_explained_groups_of(const struct ft_synthetic_evidence *evidence,
                           struct ft_explanation *explanation, struct ft_diag *diag);
/* The same by histograms: without conflicts and carriers. */
int ft_explained_groups_of_model(struct ft_explanation *explanation, struct ft_diag *diag);

#endif
