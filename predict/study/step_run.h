/*
 * Does one step of a study: removes what an earlier attempt left, runs the command as a child, and
 * records that it is done (step_record.h). Its output goes to a file under a temporary name until
 * it has ended well.
 */
#ifndef FT_PREDICT_STUDY_STEP_RUN_H
#define FT_PREDICT_STUDY_STEP_RUN_H

#include "predict/plan/held_signals.h"
#include "predict/study/step_record.h"

/* A failure names the step's command; FT_ERROR_FAILURE, "interrupted", at one of the signals. */
int ft_study_step_run(const struct ft_study *study, const struct ft_study_step *step,
                      const struct ft_held_signals *signals, struct ft_step_cost *ret_cost,
                      struct ft_diag *diag);

#endif
