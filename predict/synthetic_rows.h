/*
 * Misses of a model's scopes by synthesis: the accesses at a size are made from the model's
 * skeleton (docs/skeleton.md) and simulated, so that conflicts in sets are exact. What the skeleton
 * does not explain is not in them: how much that is follows from the accesses that the model
 * forecasts. Rows have the columns of engine/simulate/simulate_trace.h. One thread at a time.
 */
#ifndef FT_PREDICT_SYNTHETIC_ROWS_H
#define FT_PREDICT_SYNTHETIC_ROWS_H

#include "predict/synthetic_exposure.h"
#include "predict/synthetic_gaps.h"

struct ft_synthetic_rows {
    const char *missing; /* why there are none; NULL: there are */
    size_t width;
    double *own; /* [scope of the model * width + column] */
    struct ft_synthetic_gaps gaps;
    struct ft_synthetic_exposure exposure;
    double *store_conflicts; /* [scope of the model]: stores (store_conflicts.h) */
};

/* Where a model says nothing about the size, ret_rows->missing is set. */
int ft_synthetic_rows_make(const struct ft_synthetic_request *request,
                           struct ft_synthetic_rows *ret_rows, struct ft_diag *diag);
void ft_synthetic_rows_fini(struct ft_synthetic_rows *rows);

#endif
