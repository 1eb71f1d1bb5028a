/*
 * How well a model forecasts its largest training size when it is fitted without it, beside what it
 * says there itself: the error that its user can compare with that of a forecast. By laws of groups
 * alone. Thread safe on one model.
 */
#ifndef FT_PREDICT_HELD_OUT_H
#define FT_PREDICT_HELD_OUT_H

#include "predict/prediction.h"

/* The largest relative error of the program's misses, fully associative, over the levels of the
 * machine that matter; of its accesses where no level does. NAN where the model has no replica
 * without its largest size, or was restricted to one of its parameters. */
int ft_held_out_error(const struct ft_prediction *prediction, double *ret_error,
                      struct ft_diag *diag);

#endif
