/*
 * A few short trials, from a small size upwards until their time is used up: enough to learn how
 * the cost of a run grows with the size. At least FT_TRIALS_MIN if that many sizes finish in time.
 */
#ifndef FT_PREDICT_PLAN_TRIALS_H
#define FT_PREDICT_PLAN_TRIALS_H

#include "predict/plan/size_choice.h"
#include "predict/plan/trial.h"

#define FT_TRIALS_MIN 4U
#define FT_TRIALS_MAX 12U

struct ft_trials {
    struct ft_trial items[FT_TRIALS_MAX]; /* by size */
    size_t count;
    double too_long; /* the smallest size that did not finish in time; INFINITY: all did */
    double dropped;  /* the largest size at which the program failed as larger ones did not; 0 */
};

/* seconds: CPU time, for all trials together besides the start of each; a trial that takes twenty
 * times as long in wall time is stopped. Fails if less than FT_TRIALS_MIN - 1 sizes finished. */
int ft_trials_run(const struct ft_trial_program *program, const struct ft_size_choice *choice,
                  double seconds, struct ft_trials *ret_trials, struct ft_diag *diag);

#endif
