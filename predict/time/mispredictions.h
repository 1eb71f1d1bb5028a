/*
 * How often a core goes on in the wrong direction, by block at a point (docs/predict.md, "Time"):
 * by the rates that replay has sampled. Where it has none, what a branch that follows the size does
 * is foreseen but for the end of long loops, and one that depends on data is taken for a coin with
 * the share of outcomes that the model has. Real numbers: they are forecasts.
 */
#ifndef FT_PREDICT_TIME_MISPREDICTIONS_H
#define FT_PREDICT_TIME_MISPREDICTIONS_H

#include "formats/model/model.h"

/* Of the branch at the end of each block, of a model that has code and executions. ret_counts:
 * [block]. */
int ft_mispredictions_find(const struct ft_model *model, const struct ft_point *at,
                           double *ret_counts, struct ft_diag *diag);

#endif
