/*
 * Rows of a forecast by histograms, as calloc clears blocks at the size. It leaves out what comes
 * from the kernel (fit/skeletons/allocator.h), so that functions of memset's counts go on growing
 * where there are no calls any more. A block that is not cleared is touched first by others.
 */
#ifndef FT_PREDICT_CLEARED_ROWS_H
#define FT_PREDICT_CLEARED_ROWS_H

#include "predict/intervals/interval.h"
#include "predict/metrics/metrics.h"

struct ft_cleared_rows {
    const struct ft_metrics *metrics;
    double *exclusive, *inclusive; /* [scope * width of the metrics] */
    struct ft_interval *intervals; /* likewise */
};

/* Nothing is changed where the model has no skeleton of the size, or where what is cleared does not
 * tell what memset counted at the training sizes. */
int ft_clear_rows(const struct ft_cleared_rows *rows, double size, struct ft_diag *diag);

#endif
