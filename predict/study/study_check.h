/*
 * What `predict --check --json` says of the machine's levels: misses of their sets, as forecast and
 * as simulated. Plain values.
 */
#ifndef FT_PREDICT_STUDY_STUDY_CHECK_H
#define FT_PREDICT_STUDY_STUDY_CHECK_H

#include <stdbool.h>
#include <stddef.h>

#include "formats/base/status.h"
#include "predict/plan/training_plan.h"

struct ft_checked_level {
    char name[32];
    bool known;                 /* the forecast says something */
    bool inside;                /* what was simulated is in its interval, or it has none */
    double forecast, simulated; /* misses */
};

struct ft_study_check {
    struct ft_checked_level levels[FT_PLAN_LEVELS_MAX];
    size_t count;
};

int ft_study_check_read(const char *path, struct ft_study_check *ret_check, struct ft_diag *diag);

#endif
