/*
 * How the data grow with what the traces recorded (formats/model/data_growth.h): the data size as a
 * function of the parameters that vary over them, for all traces and, for intervals, without each
 * one.
 */
#ifndef FT_FIT_GROWTH_H
#define FT_FIT_GROWTH_H

#include "formats/histograms/histograms.h"
#include "formats/model/model.h"

/* For a model over the data size, whose replicas exist already. sorted: the entries in its order.
 * If the traces have no parameters, or not enough different values of them for a function, the
 * growth stays unknown, which is no error. */
int ft_growth_fit(const struct ft_histograms *entries, size_t count,
                  const struct ft_histograms *const *sorted, struct ft_model *model,
                  struct ft_diag *diag);

#endif
