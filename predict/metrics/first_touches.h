/*
 * First touches of blocks by scope, as a model has them: its histograms' cold touches. Pure.
 */
#ifndef FT_PREDICT_METRICS_FIRST_TOUCHES_H
#define FT_PREDICT_METRICS_FIRST_TOUCHES_H

#include "formats/model/model.h"

/* Of blocks of the model's block size `size` (ft_model_block_size), at a point. ret_touches:
 * [scope], exclusive of nested scopes. */
void ft_first_touches_find(const struct ft_model *model, size_t size, const struct ft_point *at,
                           double *ret_touches);

/* Makes their sum `program`: what they grow by is divided among scopes as they have it. least:
 * [scope], at the smallest training size. Where they do not grow, or the program has fewer than
 * there, nothing is changed. */
void ft_first_touches_scale(const double *least, size_t scope_count, double program,
                            double *touches);

#endif
