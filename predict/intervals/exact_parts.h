/*
 * What counts have from exact functions alone. Evidence against a forecast, such as the error of
 * one with a training size held out, concerns the rest: a loop whose iterations scatter makes the
 * accesses of the loops beside it no less sure.
 */
#ifndef FT_PREDICT_INTERVALS_EXACT_PARTS_H
#define FT_PREDICT_INTERVALS_EXACT_PARTS_H

#include "predict/intervals/spread_task.h"

/* *ret_parts: [point * numbers + number], to be freed, on failure as well. 0 for numbers that are
 * no counts, and of models of three sizes, which confirm too little to call it exact. */
int ft_exact_parts(const struct ft_spread_task *task, const struct ft_point *points,
                   size_t point_count, double **ret_parts, struct ft_diag *diag);

#endif
