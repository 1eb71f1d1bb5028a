/*
 * The locality scores (locality.h) of all references of a program from one pass over its runs: each
 * thread's steps and distances by themselves, then summed up.
 */
#ifndef FT_ENGINE_SIMULATE_SIGNATURE_LOCALITY_PASS_H
#define FT_ENGINE_SIMULATE_SIGNATURE_LOCALITY_PASS_H

#include "formats/expand/runs.h"

struct ft_locality { /* of a reference; sums, so that those of several add up */
    uint64_t steps;
    double spatial_sum; /* over the steps */
    uint64_t touches;
    double temporal_sum; /* over the touches */
};

struct ft_locality_pass;
int ft_locality_pass_create(const struct ft_run_source *source, uint32_t thread_count,
                            struct ft_locality_pass **ret_pass, struct ft_diag *diag);
void ft_locality_pass_destroy(struct ft_locality_pass *pass);
/* Batches of a thread in program order. */
int ft_locality_pass_take(struct ft_locality_pass *pass, const struct ft_run_source *source,
                          const struct ft_run_batch *batch, struct ft_diag *diag);
/* After the last batch, once: by reference, to be freed. */
int ft_locality_pass_finish(struct ft_locality_pass *pass, struct ft_locality **ret_scores,
                            struct ft_diag *diag);

#endif
