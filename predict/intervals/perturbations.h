/*
 * The numbers of a task (spread_task.h) for each perturbation of its model: every replica;
 * distances a standard error longer with smaller capacities, and the reverse, because a working set
 * near the capacity may or may not fit; the members of each method alone, if nearly as good as the
 * best; accesses and executions by other laws (growth_spread.h); alignments at their means and
 * quotients a step off, if the training sizes do not determine them; long calls of memset and the
 * like by string instructions (string_calls.h).
 */
#ifndef FT_PREDICT_INTERVALS_PERTURBATIONS_H
#define FT_PREDICT_INTERVALS_PERTURBATIONS_H

#include "predict/intervals/spread_task.h"

struct ft_perturbations {
    const struct ft_spread_task *task;
    struct ft_spread_view view; /* the model's own */
    size_t numbers;             /* per perturbation */
    double *rows;               /* [perturbation * numbers + ...]: replicas, then alternatives */
    const double *best, *worst; /* the rows where blocks fall into sets as well, and as badly, as
                                   strides let them; NULL where these are not known */
    size_t replica_count;       /* of these perturbations */
    size_t likely_count;        /* the others are what may be or not, with nothing in between: other
                                   laws of growth, how blocks fall into sets, long string calls */
    size_t count;
};

/* None if the model has no replicas. */
int ft_perturbations_compute(const struct ft_spread_task *task,
                             struct ft_perturbations *ret_perturbations, struct ft_diag *diag);
void ft_perturbations_fini(struct ft_perturbations *perturbations);

#endif
