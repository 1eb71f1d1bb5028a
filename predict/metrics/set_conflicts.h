/*
 * What conflicts in the sets of a level can make of a group's misses. Blocks are expected to fall
 * into sets as they did at the training sizes, or at random (set_chances.h); those that regular
 * strides reach spread better than that, or far worse (docs/predict.md, "Conflicts in sets").
 * Misses are real numbers. Thread safe.
 *
 * Needs gsl_set_error_handler_off() once before.
 */
#ifndef FT_PREDICT_METRICS_SET_CONFLICTS_H
#define FT_PREDICT_METRICS_SET_CONFLICTS_H

#include "fit/evaluate/evaluate.h"
#include "machines/machine.h"
#include "predict/intervals/set_occupancy.h"
#include "predict/metrics/set_chances.h"

/* Set-associative misses of a group at the point, of which the forecast is. */
int ft_set_conflict_misses(const struct ft_model *model, size_t group, const struct ft_level *level,
                           const struct ft_point *at, const struct ft_forecast *forecast,
                           const struct ft_set_chances *chances, enum ft_set_spread spread,
                           double *ret_misses, struct ft_diag *diag);

/* The group whose conflicts may add most to the misses of a level. */
struct ft_set_conflict {
    double expected, worst; /* misses of all groups */
    double added;           /* by this group alone, at most; 0: by none */
    size_t group;
    double stride_bytes, sets_reached;
};

/* block_size indexes model->block_bytes. */
int ft_set_conflict_find(const struct ft_model *model, size_t block_size,
                         const struct ft_level *level, const struct ft_point *at,
                         struct ft_set_conflict *ret_conflict, struct ft_diag *diag);

/* Whether to warn of it: it may add a tenth to the level's misses. */
bool ft_set_conflict_matters(const struct ft_set_conflict *conflict);

#endif
