/*
 * A size to forecast, where none was asked for: the first of 80, 200, 400, 800, 2000, 4000 ... at
 * which the program takes a fifth of a second of CPU time natively, or the last before one that
 * fails, takes longer than ten seconds, or might take more than an eighth of this host's memory.
 * All are multiples of 8, but not powers of 2, at which caches behave as at no other size.
 */
#ifndef FT_PREDICT_STUDY_TARGET_CHOICE_H
#define FT_PREDICT_STUDY_TARGET_CHOICE_H

#include "predict/plan/held_signals.h"

struct ft_target_choice {
    double size;
    double seconds; /* of CPU time, there */
};

/* words: with {NAME}, NULL behind the last. errors_path: for what the program says, which a failure
 * quotes; it is removed. FT_ERROR_USAGE where there is no such size. */
int ft_target_choose(char *const *words, const char *parameter, const char *errors_path,
                     const struct ft_held_signals *signals, struct ft_target_choice *ret_choice,
                     struct ft_diag *diag);

#endif
