/*
 * The published way to train a bandwidth function: a genetic algorithm over generations on six
 * islands (Tikir et al., SC 2007, section 4 and table 2), two of which are Darwinian, two
 * Lamarckian (what an entity learns in its life, by a short search around its genes, becomes its
 * genes) and two Baldwinian (it counts for its fitness alone).
 *
 * The same bytes for the same seed, whatever the number of threads (OpenMP over entities).
 */
#ifndef FT_MACHINES_BANDWIDTH_GENETIC_H
#define FT_MACHINES_BANDWIDTH_GENETIC_H

#include "formats/base/progress.h"
#include "machines/bandwidth/training.h"

#define FT_GENETIC_ISLANDS 6

struct ft_genetic_options {
    uint32_t entities;                     /* of all islands together; 10,000 */
    uint32_t generations;                  /* 200 */
    double mutation, crossover, migration; /* probabilities: 0.8, 0.8, 0.01 */
    uint64_t seed;
};
extern const struct ft_genetic_options ft_genetic_published; /* with seed 1 */

/* ret_genes: [gene_count], the fittest; progress may be NULL. */
int ft_genetic_train(const struct ft_training *training, const struct ft_genetic_options *options,
                     struct ft_progress *progress, double *ret_genes, struct ft_diag *diag);

#endif
