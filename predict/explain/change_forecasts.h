/*
 * Forecasts of changes (explanation.h): the skeleton is changed, synthesised and simulated exactly
 * on the machine's levels. Of tiles the best of a few sizes is kept. What a skeleton cannot do, or
 * a nest that is not rectangular, stays without a forecast.
 */
#ifndef FT_PREDICT_EXPLAIN_CHANGE_FORECASTS_H
#define FT_PREDICT_EXPLAIN_CHANGE_FORECASTS_H

#include "engine/simulate/simulate.h"
#include "fit/skeletons/synthesis.h"
#include "predict/explain/explanation.h"

#define FT_CHANGE_FORECASTS_MAX 16U /* simulations */

struct ft_change_task {
    const struct ft_synthesis *synthesis;
    double size;
    const struct ft_simulation *before; /* of the machine's levels first */
    struct ft_progress *progress;       /* may be NULL */
};

int ft_changes_forecast(const struct ft_change_task *task, struct ft_explanation *explanation,
                        struct ft_diag *diag);

#endif
