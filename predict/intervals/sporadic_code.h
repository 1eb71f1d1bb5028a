/*
 * Code that some training sizes run and sizes on both sides of them do not: what is left over where
 * the size is no multiple of something, one of two buffers after an odd number of passes. No
 * function says whether the size in question runs it, so intervals span both.
 */
#ifndef FT_PREDICT_INTERVALS_SPORADIC_CODE_H
#define FT_PREDICT_INTERVALS_SPORADIC_CODE_H

#include "formats/model/model.h"

/* What such code does of the accesses of a scope, in itself and below. */
struct ft_sporadic_shares {
    double missing; /* by how much the accesses may be higher: of code that the largest size does
                       not run; as a share of those of the others, 0 for none */
    double present; /* by how much lower: of code that it does run */
};

/* shares: one per scope. All 0 where the model does not have the counts of its training sizes. */
int ft_sporadic_shares_find(const struct ft_model *model, struct ft_sporadic_shares *shares,
                            struct ft_diag *diag);

#endif
