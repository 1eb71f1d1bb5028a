/*
 * How good forecasts were, over several that were measured: relative errors, |forecast - measured|
 * / measured. Pure.
 */
#ifndef FT_PREDICT_MEASURED_ERROR_SUMMARY_H
#define FT_PREDICT_MEASURED_ERROR_SUMMARY_H

#include <stddef.h>

struct ft_error_summary {
    size_t count;         /* errors that are known */
    double median;        /* of an even count the mean of the middle two; NAN: none */
    double mean;          /* NAN: none */
    double deviation;     /* standard deviation of the sample; NAN: fewer than two */
    double within_95;     /* the smallest error that 95 % of them do not exceed; NAN: none */
    size_t inside, known; /* measured values inside of their intervals, of those that have one */
};

/* (forecast - measured) / measured; NAN where nothing was measured, or forecast. */
double ft_relative_error(double forecast, double measured);
/* Of values, with their signs: the mean, and as deviation the standard deviation of the sample. NAN
 * ones are left out. */
void ft_error_mean(const double *values, size_t count, double *ret_mean, double *ret_deviation);
/* errors: [count], NAN where unknown; sorts them by size, without their signs. */
struct ft_error_summary ft_error_summary_of(double *errors, size_t count);

#endif
