/*
 * Rules that each make an interval reach farther, lest it be too narrow, make one too wide
 * together. So ends that are farther from the value than a factor of exp(0.15) come nearer, as far
 * as 95 % of the levels that are known then were inside, of codes that were forecast and then
 * simulated. docs/predict.md, "Calibration".
 */
#ifndef FT_PREDICT_INTERVALS_CALIBRATION_H
#define FT_PREDICT_INTERVALS_CALIBRATION_H

#include "predict/intervals/interval.h"
#include "predict/intervals/spread_task.h"

/* Of a number by a model of so many training sizes. An end at 0, or in infinity, stays; all stay of
 * fewer than five sizes, which the codes had, and of times and capacities, which were not measured.
 * resolution: of the value. */
void ft_interval_calibrate(enum ft_spread_kind kind, size_t size_count, double value,
                           double resolution, struct ft_interval *interval);

#endif
