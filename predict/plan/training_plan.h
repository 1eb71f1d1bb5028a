/*
 * Training sizes for a target and a machine (docs/plan.md): few, congruent with the target, large
 * enough to fill many blocks of the machine's levels, and within the limits on time and disk.
 *
 * Pure: the same costs give the same plan.
 */
#ifndef FT_PREDICT_PLAN_TRAINING_PLAN_H
#define FT_PREDICT_PLAN_TRAINING_PLAN_H

#include <stdbool.h>

#include "machines/machine.h"
#include "predict/plan/run_cost.h"

#define FT_PLAN_SIZES_MAX  16U
#define FT_PLAN_SIZES_MIN  4U /* three determine most functions, one verifies them */
#define FT_PLAN_LEVELS_MAX 32U

struct ft_plan_request {
    struct ft_size_choice choice;
    size_t count;              /* of sizes, at least FT_PLAN_SIZES_MIN */
    double smallest;           /* a size that is known to run */
    double seconds_max;        /* of processors, for captures and replays; INFINITY: any */
    double bytes_max;          /* of traces */
    const double *mapped_from; /* at which arrays pass the mmap threshold (arrays.h), ascending */
    size_t mapped_count;
    const struct ft_machine *machine;
};

struct ft_plan_level {
    double growing_blocks; /* of the level's size, that come with the size, at the largest one */
    bool matters;          /* at the target: they take a good part of it, and all data fill it */
    bool taught;           /* there are enough of them, or it does not matter */
    double taught_from;    /* the size from which on there are */
};

struct ft_training_plan {
    uint64_t period; /* modulo which all sizes agree with the target */
    double sizes[FT_PLAN_SIZES_MAX];
    struct ft_run_cost runs[FT_PLAN_SIZES_MAX];
    size_t count;
    struct ft_run_cost total, target;
    struct ft_plan_level levels[FT_PLAN_LEVELS_MAX]; /* as the machine's */
    size_t level_count;
    double mapped_from;  /* of the request's: one between the sizes, else the next one below them,
                            else the next one above; 0: there are none */
    bool mixes_mapped;   /* it is between them */
    bool limited;        /* larger sizes would teach more, but take more than there is */
    bool target_cheaper; /* to capture and replay than all sizes together */
};

/* FT_ERROR_USAGE where there are too few sizes, or all take too much. */
int ft_training_plan_make(const struct ft_plan_request *request, const struct ft_run_costs *costs,
                          struct ft_training_plan *ret_plan, struct ft_diag *diag);

#endif
