/*
 * The time of a scope whose misses become others by a change of the code (explanation.h), by the
 * time model of predictions. What is executed, and what lines wait for, stays as it is: a change
 * after which lines come in streams is better than that.
 */
#ifndef FT_PREDICT_EXPLAIN_CHANGED_TIME_H
#define FT_PREDICT_EXPLAIN_CHANGED_TIME_H

#include "predict/explain/explanation.h"

/* exclusive: [scope * levels + level], misses after the change. Sets the change's seconds, where
 * the prediction has times. */
int ft_changed_time(const struct ft_explanation *explanation, const double *exclusive,
                    struct ft_change *change, struct ft_diag *diag);

#endif
