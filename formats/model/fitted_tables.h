/*
 * The fitted part of a model in its HDF5 group: members of histograms, all functions, and the same
 * for the replicas. The rest of the model, with empty histograms, must be there already.
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
