/*
 * A prediction compared with the exact simulation of a trace: the trace's scopes are found in the
 * model, so that the numbers can be shown side by side.
 *
 * Scopes are matched as in engine/match/scopes.h: in one build by their code, in several by names,
 * lines and nesting, so that a size that is a separate build can be checked. A scope that the model
 * does not have counts for the nearest scope around it that it has.
 */
#ifndef FT_PREDICT_CHECK_H
#define FT_PREDICT_CHECK_H

#include "formats/base/progress.h"
#include "formats/trace/trace.h"
#include "predict/prediction.h"

struct ft_check {
    char *trace_hash;
    double matched_share; /* of the simulated accesses, in scopes that the model has */
    size_t width;         /* columns as in struct ft_simulated_trace */
    double *inclusive;    /* [scope of the model * width + column], nested scopes included */
};

/* The value of a parameter that a trace was captured with; false where the trace has none. */
bool ft_check_parameter(const struct ft_trace *trace, const char *name, double *ret_value);

/* Simulates the whole trace; progress may be NULL. */
int ft_check_trace(struct ft_trace *trace, const struct ft_prediction *prediction,
                   struct ft_progress *progress, struct ft_check *ret_check, struct ft_diag *diag);
void ft_check_fini(struct ft_check *check);

#endif
