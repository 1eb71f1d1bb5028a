/*
 * What a model keeps of its sizes as they were counted, beside what is fitted: accesses,
 * footprints, remapped pages and distances within sets at the training sizes; and the sizes of
 * counts alone.
 */
#ifndef FT_FIT_MEASURED_COUNTS_H
#define FT_FIT_MEASURED_COUNTS_H

#include "fit/fit_work.h"

/* Of work->model, whose groups are listed. */
int ft_measured_counts_fill(const struct ft_fit_work *work, struct ft_diag *diag);

#endif
