/*
 * What `plan --json` proposed, as far as a study needs it, and the size at which the forecast is
 * checked: one that the model does not know, between the training sizes and the target, or the
 * target itself.
 *
 * Plain values.
 */
#ifndef FT_PREDICT_STUDY_STUDY_PLAN_H
#define FT_PREDICT_STUDY_STUDY_PLAN_H

#include "formats/base/status.h"
#include "predict/plan/training_plan.h"

#define FT_STUDY_SIZE_TEXT 24 /* bytes */

struct ft_study_plan {
    char sizes[FT_PLAN_SIZES_MAX][FT_STUDY_SIZE_TEXT]; /* training sizes, ascending */
    size_t count;
    char held_out[FT_STUDY_SIZE_TEXT]; /* empty: none can be had within the budget */
    char trace_suffix[16]; /* of the trace with most accesses: ".h5", or ".2.h5" of a process */
    double seconds, trace_bytes; /* estimated for captures, replays and the check: CPU time */
};

struct ft_study_plan_terms {
    double target;
    double budget_seconds; /* for the check, too */
    bool listed;           /* sizes were of a list: no others may be tried */
};

int ft_study_plan_read(const char *path, const struct ft_study_plan_terms *terms,
                       struct ft_study_plan *ret_plan, struct ft_diag *diag);
/* In the place of a plan that is not made yet: one training size, SIZE, and LARGER. */
struct ft_study_plan ft_study_plan_unknown(void);

#endif
