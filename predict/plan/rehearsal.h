/*
 * A plan's promise, tested on its own trials: the same plan is made for the largest trial, a model
 * is fitted to its sizes, and forecasts that trial, whose histograms tell the truth. What it does
 * not know there it will hardly know at the target: the code has other parts at other sizes, or the
 * sizes do not agree. Sizes that no trial had run now; they are small.
 *
 * Misses are those of fully associative levels. Needs gsl_set_error_handler_off() once before.
 */
#ifndef FT_PREDICT_PLAN_REHEARSAL_H
#define FT_PREDICT_PLAN_REHEARSAL_H

#include "predict/intervals/interval.h"
#include "predict/plan/training_plan.h"

#define FT_REHEARSAL_MATCHED 0.9 /* of the accesses: a model of less says little */

struct ft_rehearsed_level {
    double misses, forecast; /* of the largest trial; as forecast from the others */
    struct ft_interval interval;
    bool known;    /* the forecast says something */
    bool inside;   /* and the misses lie in its interval */
    bool testable; /* the sizes fill enough blocks of it to know more */
};

struct ft_rehearsal {
    bool done;         /* false: there are too few sizes, or no model could be fitted to them */
    char why_not[256]; /* a sentence */
    double largest;    /* the size that was forecast */
    double sizes[FT_PLAN_SIZES_MAX];
    size_t count;
    double cpu_seconds;   /* of the runs */
    double matched_share; /* of the accesses, in code that is the same at all sizes */
    struct ft_rehearsed_level levels[FT_PLAN_LEVELS_MAX]; /* as the machine's */
    size_t level_count;
};

/* request: the plan's. That there is no model is no failure: ret_rehearsal says why. A run that
 * takes longer than limit_seconds is left out. */
int ft_rehearse(const struct ft_trial_program *program, const struct ft_trials *trials,
                const struct ft_run_costs *costs, const struct ft_plan_request *request,
                double limit_seconds, struct ft_rehearsal *ret_rehearsal, struct ft_diag *diag);

/* Whether most of the code is matched, and no level is unknown that could be known. */
bool ft_rehearsal_is_good(const struct ft_rehearsal *rehearsal);

#endif
