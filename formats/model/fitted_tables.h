/*
 * What was fitted, in the HDF5 group of a model: members of histograms, all functions, and the same
 * of the replicas. The model has all else already, empty histograms too.
 */
#ifndef FT_FORMATS_MODEL_FITTED_TABLES_H
#define FT_FORMATS_MODEL_FITTED_TABLES_H

#include <hdf5.h>
#include <stdbool.h>

#include "formats/model/model.h"

int ft_fitted_tables_write(hid_t group, const struct ft_model *model, struct ft_diag *diag);
int ft_fitted_tables_read(hid_t group, struct ft_model *model, struct ft_diag *diag);
/* False of versions 1 and 2. */
bool ft_fitted_tables_have_members(hid_t group);

#endif
