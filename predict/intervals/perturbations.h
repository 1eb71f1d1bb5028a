/*
 * The figures of a task (spread_task.h) once more for each perturbation of its model: every
 * replica; the model with distances a standard error longer and capacities smaller, and the
 * reverse, for a working set near the capacity fits or does not; each method's members alone, where
 * they are nearly as good as the best; accesses and executions by other laws (growth_spread.h);
 * alignments at their means and quotients a step off, where the training sizes do not tell them;
 * accesses of calls that go byte by byte when they are long (string_calls.h).
 */
#ifndef FT_PREDICT_INTERVALS_PERTURBATIONS_H
#define FT_PREDICT_INTERVALS_PERTURBATIONS_H

#include "predict/intervals/spread_task.h"

struct ft_perturbations {
    const struct ft_spread_task *task;
    struct ft_spread_view view; /* the model's own */
    size_t numbers;             /* of all figures of a perturbation */
    double *rows;               /* [perturbation * numbers + ...]: replicas, then alternatives */
    size_t replica_count;       /* of these perturbations */
    size_t count;
};

/* None where the model has no replicas. */
int ft_perturbations_compute(const struct ft_spread_task *task,
                             struct ft_perturbations *ret_variants, struct ft_diag *diag);
void ft_perturbations_fini(struct ft_perturbations *perturbations);

#endif
