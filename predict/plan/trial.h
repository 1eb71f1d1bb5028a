/*
 * A trial: the program at one size, captured and replayed by this same foretrace, to learn what
 * that costs, and simulated on the machine of the plan, as `predict --check` will. All files go to
 * a folder of their own; traces are removed after each trial, histograms with the program's. The
 * program's input is empty, its output is discarded.
 *
 * CPU time is that of foretrace and of the program together. One trial at a time.
 */
#ifndef FT_PREDICT_PLAN_TRIAL_H
#define FT_PREDICT_PLAN_TRIAL_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "predict/plan/arrays.h"
#include "predict/plan/held_signals.h"

#define FT_TRIAL_BLOCKS_MAX 16U /* block sizes of a replay */
#define FT_TRIAL_PATH_MAX   (PATH_MAX + 64)
#define FT_TRIAL_TOO_LONG   20U /* times the CPU time for all trials, on the wall */

struct ft_trial_program {
    char **words;           /* the command, NULL behind the last; {NAME} stands for the size */
    const char *parameter;  /* NAME */
    const char *block_list; /* "64,4K", as replay takes it */
    const char *machine;    /* as simulate takes it */
    char folder[PATH_MAX];  /* of the trials' files */
    struct ft_held_signals signals; /* so that the files do not stay behind */
};

struct ft_trial {
    double n;
    double accesses, records; /* of the trace with most accesses; records of units in its log */
    double blocks[FT_TRIAL_BLOCKS_MAX]; /* distinct ones of each size */
    double trace_bytes;                 /* of all traces: a process or program has one each */
    size_t trace_count;
    char suffix[16]; /* of the name of the one with most accesses: ".h5" or ".2.h5" */
    double capture_seconds, replay_seconds, check_seconds; /* of processors */
    int exit_code;                                         /* of the program */
};

/* words must have {NAME} somewhere, else FT_ERROR_USAGE. Makes the folder, and holds signals until
 * fini has removed it. */
int ft_trial_program_init(struct ft_trial_program *program, char **words, const char *parameter,
                          const char *block_list, const char *machine, struct ft_diag *diag);
void ft_trial_program_fini(struct ft_trial_program *program);

/* The words with {NAME} replaced, to be given to ft_command_words_free; NULL without memory. */
char **ft_trial_words(const struct ft_trial_program *program, double n);

/* *ret_ended is false if it was stopped after limit_seconds of wall time; then there is no
 * trial. */
int ft_trial_run(const struct ft_trial_program *program, double n, double limit_seconds,
                 struct ft_trial *ret_trial, bool *ret_ended, struct ft_diag *diag);

/* The file of the histograms of a trial that ended, until ft_trial_program_fini. */
char *ft_trial_histograms(const struct ft_trial_program *program, double n,
                          char path[FT_TRIAL_PATH_MAX]);

/* What the program allocates at n: a capture with calls logged, which takes longer if there are
 * many. Empty if it was stopped. */
int ft_trial_arrays(const struct ft_trial_program *program, double n, double limit_seconds,
                    struct ft_arrays *ret_arrays, struct ft_diag *diag);

#endif
