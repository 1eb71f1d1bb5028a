/*
 * Stores that conflict. A processor asks for the line of a store ahead of its commit, in order.
 * Where more stores are under way to lines of one set of the first cache than that has ways, lines
 * are gone again before it is their turn, and each store waits for its own (docs/predict.md,
 * "Stores to few sets"): columns of matrices whose rows are a power of two long.
 */
#ifndef FT_PREDICT_STORE_CONFLICTS_H
#define FT_PREDICT_STORE_CONFLICTS_H

#include "predict/synthetic_exposure.h"
#include "predict/synthetic_gaps.h"

/* By the strides of loops at the size; where the nest has far fewer accesses of a scope than are
 * forecast, as it is of another size, the rest is like these. references: of the nest's accesses.
 * ret_stores: [scope], of which each takes as long as all do in the worst case. */
void ft_store_conflicts_find(const struct ft_synthetic_request *request,
                             const struct ft_synthetic_exposure *exposure,
                             const struct ft_reference *references, double *ret_stores);

#endif
