/*
 * Locality scores of a program's references, from 0 to 1 (docs/simulate.md, "Signatures"; after
 * Weinberg et al., SC 2005, and Tikir et al., SC 2007): spatial from the steps between successive
 * accesses of a reference, temporal from the distances of its reuse.
 *
 * A score is a sum over a count, so that those of several references add up. One thread at a time.
 */
#ifndef FT_ENGINE_SIMULATE_SIGNATURE_LOCALITY_H
#define FT_ENGINE_SIMULATE_SIGNATURE_LOCALITY_H

#include "formats/expand/runs.h"
#include "formats/histograms/histograms.h"

#define FT_TEMPORAL_BLOCK_BYTES 8  /* of the histograms */
#define FT_TEMPORAL_OCTAVES_MAX 24 /* distances from 2^24 on score 0 */

struct ft_spatial_score {
    uint64_t steps; /* that were not 0 */
    double sum;     /* of size / |step|, at most 1 each */
};

struct ft_spatial;
int ft_spatial_create(uint32_t reference_count, struct ft_spatial **ret_spatial,
                      struct ft_diag *diag);
void ft_spatial_destroy(struct ft_spatial *spatial);
/* Batches in program order. */
void ft_spatial_feed(struct ft_spatial *spatial, const struct ft_run_source *source,
                     const struct ft_run_batch *batch);
/* By reference. */
const struct ft_spatial_score *ft_spatial_scores(const struct ft_spatial *spatial);

/* The sum over a histogram's touches; their mean is the score. */
double ft_temporal_sum(const struct ft_histogram *histogram);

#endif
