/*
 * A forecast of a hierarchy compared with the simulation of a trace: the trace's scopes are found
 * in the model, as for check.h.
 */
#ifndef FT_PREDICT_HIERARCHY_CHECK_H
#define FT_PREDICT_HIERARCHY_CHECK_H

#include "formats/trace/trace.h"
#include "predict/hierarchy_forecast.h"

struct ft_hierarchy_check {
    char *trace_hash;
    double matched_share; /* of the simulated accesses, in scopes that the model has */
    double *inclusive;    /* [scope of the model * width + column] */
    double *totals;       /* [ft_total_width] */
};

/* The trace without its fetches; progress may be NULL. */
int ft_hierarchy_check(struct ft_trace *trace, const struct ft_hierarchy_forecast *forecast,
                       struct ft_progress *progress, struct ft_hierarchy_check *ret_check,
                       struct ft_diag *diag);
void ft_hierarchy_check_fini(struct ft_hierarchy_check *check);

#endif
