/*
 * How the data grow with what the traces recorded (formats/model/data_growth.h): the size of the
 * data as a function of the parameters that vary over them, of all traces and, for the intervals,
 * without one each.
 */
#ifndef FT_FIT_GROWTH_H
#define FT_FIT_GROWTH_H

#include "formats/histograms/histograms.h"
#include "formats/model/model.h"

/* Of a model over the data size, whose replicas are there. sorted: the entries in its order. Where
 * traces have no parameters, or have them alike, too few of them or no good ones for a function, no
 * growth is known, which is no error. */
int ft_growth_fit(const struct ft_histograms *entries, size_t count,
                  const struct ft_histograms *const *sorted, struct ft_model *model,
                  struct ft_diag *diag);

#endif
