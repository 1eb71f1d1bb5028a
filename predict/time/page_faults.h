/*
 * Page faults by scope: the first touches of pages of 4 KiB, and those since pages were mapped
 * again (docs/predict.md, "Time").
 */
#ifndef FT_PREDICT_TIME_PAGE_FAULTS_H
#define FT_PREDICT_TIME_PAGE_FAULTS_H

#include "predict/metrics/heap_sizes.h"

#define FT_FAULT_BYTES UINT64_C(4096)

/* Of the model of a heap that is at the size of the point, or not known. ret_faults: [scope],
 * exclusive of nested scopes; zeros where the model has no blocks of pages. */
int ft_page_faults_find(const struct ft_heap_sizes *heap, const struct ft_point *at,
                        double *ret_faults, struct ft_diag *diag);

#endif
