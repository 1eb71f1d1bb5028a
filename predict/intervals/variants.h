/*
 * The figures of a task (spread_task.h) once more for each variant of its model: every replica; the
 * model with distances a standard error longer and capacities smaller, and the reverse, for a
 * working set near the capacity fits or does not; each method's members alone, where they are
 * nearly as good as the best; accesses and executions by other laws (growth_spread.h); alignments
 * at their means and quotients a step off, where the training sizes do not tell them; accesses of
 * calls that go byte by byte when they are long (string_calls.h).
 */
#ifndef FT_PREDICT_INTERVALS_VARIANTS_H
#define FT_PREDICT_INTERVALS_VARIANTS_H

#include "predict/intervals/spread_task.h"

struct ft_variants {
    const struct ft_spread_task *task;
    struct ft_spread_view view; /* the model's own */
    size_t numbers;             /* of all figures of a variant */
    double *rows;               /* [variant * numbers + ...]: replicas, then alternatives */
    size_t replica_count;       /* of these variants */
    size_t count;
};

/* None where the model has no replicas. */
int ft_variants_reckon(const struct ft_spread_task *task, struct ft_variants *ret_variants,
                       struct ft_diag *diag);
void ft_variants_fini(struct ft_variants *variants);

#endif
