/*
 * The data that the groups of a model touched at the largest training size.
 */
#ifndef FT_FIT_GROUP_DATA_H
#define FT_FIT_GROUP_DATA_H

#include "fit/fit_work.h"
#include "formats/model/group_data.h"

/* Nothing where the histograms of that size were not kept by data. To be given to
 * ft_group_data_fini, after a failure too. */
int ft_group_data_find(const struct ft_fit_work *work, struct ft_group_data *ret_data,
                       struct ft_diag *diag);

#endif
