/*
 * What each group of references does at the point of a prediction, by its reuse distances:
 * synthesis knows scopes, but no groups.
 */
#ifndef FT_PREDICT_GROUP_ROWS_H
#define FT_PREDICT_GROUP_ROWS_H

#include "predict/prediction.h"

/* Accesses, then the set-associative misses of each level of the machine. ret_rows: [group * (1 +
 * levels) + column]. */
int ft_group_rows(const struct ft_prediction *prediction, double *ret_rows, struct ft_diag *diag);

#endif
