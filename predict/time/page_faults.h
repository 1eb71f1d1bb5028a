/*
 * Page faults by scope: the first touches of pages of 4 KiB, and those since pages were mapped
 * again (docs/predict.md, "Time").
 */
#ifndef FT_PREDICT_TIME_PAGE_FAULTS_H
#define FT_PREDICT_TIME_PAGE_FAULTS_H

#include "formats/model/model.h"

#define FT_FAULT_BYTES UINT64_C(4096)

/* ret_faults: [scope], exclusive of nested scopes; zeros where the model has no blocks of pages. */
int ft_page_faults_find(const struct ft_model *model, const struct ft_point *at, double *ret_faults,
                        struct ft_diag *diag);

#endif
