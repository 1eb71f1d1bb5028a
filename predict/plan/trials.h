/*
 * A few short trials, from a small size upwards until the time for them is used up: enough to learn
 * how what a run takes grows with the size. At least FT_TRIALS_MIN where so many sizes end in
 * time.
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
    double too_long; /* the least size that did not end in time; INFINITY: all did */
    double dropped;  /* the largest size at which the program failed as larger ones did not; 0 */
};

/* seconds: of processors, for all trials together besides the start of each; a trial that takes
 * twenty times as long by the clock on the wall is stopped. Fails where less than FT_TRIALS_MIN -
 * 1 sizes ended. */
int ft_trials_run(const struct ft_trial_program *program, const struct ft_size_choice *choice,
                  double seconds, struct ft_trials *ret_trials, struct ft_diag *diag);

#endif
