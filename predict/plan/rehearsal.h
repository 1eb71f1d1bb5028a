/*
 * A plan's promise, tested on its own trials: a model is fitted to all of them but the largest, and
 * forecasts that one, whose histograms tell the truth. What it does not know there it will hardly
 * know at the target: the code has other parts at other sizes, or the sizes do not agree.
 *
 * Misses are those of fully associative levels. Needs gsl_set_error_handler_off() once before.
 */
#ifndef FT_PREDICT_PLAN_REHEARSAL_H
#define FT_PREDICT_PLAN_REHEARSAL_H

#include "machines/machine.h"
#include "predict/intervals/interval.h"
#include "predict/plan/trials.h"

#define FT_REHEARSAL_LEVELS_MAX 32U
#define FT_REHEARSAL_MATCHED    0.9 /* of the accesses: a model of less says little */

struct ft_rehearsed_level {
    double misses, forecast; /* of the largest trial; as forecast from the others */
    struct ft_interval interval;
    bool known;  /* the forecast says something */
    bool inside; /* and the misses lie in its interval */
};

struct ft_rehearsal {
    bool done;             /* false: too few trials, or no model could be fitted to them */
    char why_not[256];     /* a sentence */
    double largest;        /* the size that was held out */
    size_t training_count; /* of the others */
    double matched_share;  /* of the accesses, in code that is the same at all of these */
    struct ft_rehearsed_level levels[FT_REHEARSAL_LEVELS_MAX]; /* as the machine's */
    size_t level_count;
};

/* Reads the trials' histograms, which the program's folder holds. That there is no model is no
 * failure: ret_rehearsal says why. */
int ft_rehearse(const struct ft_trial_program *program, const struct ft_trials *trials,
                const struct ft_machine *machine, struct ft_rehearsal *ret_rehearsal,
                struct ft_diag *diag);

/* Whether most of the code is matched, and no level is unknown. */
bool ft_rehearsal_is_good(const struct ft_rehearsal *rehearsal);

#endif
