/*
 * Rules that each make an interval reach farther, lest it be too narrow, make one too wide
 * together: of intervals whose ends are 15 % or more away from the value, the truth of codes that
 * were forecast and then simulated was in the inner part. docs/predict.md, "Calibration".
 */
#ifndef FT_PREDICT_INTERVALS_CALIBRATION_H
#define FT_PREDICT_INTERVALS_CALIBRATION_H

#include "predict/intervals/interval.h"

/* Training sizes from which on this holds: the codes had so many. */
#define FT_CALIBRATED_FROM 5U

/* Brings the ends of a 95 % interval of misses or of a count as near to the value as they are for
 * 95 % of the codes. An end at 0, or in infinity, stays. resolution: of the value. */
void ft_interval_calibrate(double value, double resolution, struct ft_interval *interval);

#endif
