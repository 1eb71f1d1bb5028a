/*
 * The steps of a study as jobs of Slurm: an array of captures, an array of replays that waits for
 * it, and a job with the rest, each of which does its steps with `study --step`. The jobs' numbers
 * are kept in FOLDER/jobs.
 */
#ifndef FT_PREDICT_COMMANDS_STUDY_SLURM_H
#define FT_PREDICT_COMMANDS_STUDY_SLURM_H

#include <stdio.h>

#include "predict/plan/held_signals.h"
#include "predict/study/study_steps.h"

struct ft_study_jobs {
    char list[256];   /* "12,13,14"; empty: none were submitted */
    bool are_waiting; /* some are in the queue, or run */
};

/* What became of the jobs of an earlier submission. */
int ft_study_jobs_find(const struct ft_study *study, const struct ft_held_signals *signals,
                       struct ft_study_jobs *ret_jobs, struct ft_diag *diag);
/* Submits all steps that are not done[step] and are behind the plan; prints them with their jobs
 * on `stream`. */
int ft_study_jobs_submit(const struct ft_study *study, const struct ft_study_steps *steps,
                         const bool *done, const struct ft_held_signals *signals, FILE *stream,
                         struct ft_diag *diag);

#endif
