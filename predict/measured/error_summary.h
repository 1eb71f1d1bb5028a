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
    double within_95;     /* the smallest error that 95 % of them do not exceed; NAN: none */
    size_t inside, known; /* measured values inside of their intervals, of those that have one */
};

/* (forecast - measured) / measured; NAN where nothing was measured, or forecast. */
double ft_relative_error(double forecast, double measured);
/* errors: [count], NAN where unknown; sorts them by size, without their signs. */
struct ft_error_summary ft_error_summary_of(double *errors, size_t count);

#endif
