/*
 * Which accesses of a synthesis what it does not have may turn into misses. What is not synthetic
 * displaces blocks only where it runs: a loop nest in which it does not, such as a solver's behind
 * an initialisation that depends on data, finds no more of them gone than the cache holds, each
 * time that it is entered. Thread safe on one exposure.
 */
#ifndef FT_PREDICT_SYNTHETIC_EXPOSURE_H
#define FT_PREDICT_SYNTHETIC_EXPOSURE_H

#include "fit/skeletons/synthesis.h"

struct ft_synthetic_exposure {
    struct ft_nest nest; /* at the size */
    uint64_t *times;     /* [token]: how often an element runs, at its first token */
    uint32_t *scopes;    /* [token]: of an ACCESS, or of the loop or routine that is irregular */
    double *accesses;    /* [scope]: of the nest; those that are drawn are not among them */
    size_t scope_count;
    bool *may_run_back; /* [scope]: memcpy and the like, whose longest copy is longer than a length
                           from which on they take other paths, some from the end to the start */
};
/* Takes the synthesis's nest, which has none then. */
int ft_synthetic_exposure_make(struct ft_synthesis *synthesis,
                               struct ft_synthetic_exposure *ret_exposure, struct ft_diag *diag);
void ft_synthetic_exposure_fini(struct ft_synthetic_exposure *exposure);

/* is_made: [scope]: whose misses are synthetic. blocks: that the cache holds. ret_exposed: [scope]:
 * accesses of the nest. */
int ft_synthetic_exposed(const struct ft_synthetic_exposure *exposure, const bool *is_made,
                         double blocks, double *ret_exposed, struct ft_diag *diag);

#endif
