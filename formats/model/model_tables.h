/*
 * A model in a group of an HDF5 file (docs/data.md). Start from {0}; after a failed read
 * ft_model_fini frees what was read.
 */
#ifndef FT_FORMATS_MODEL_MODEL_TABLES_H
#define FT_FORMATS_MODEL_MODEL_TABLES_H

#include <hdf5.h>

#include "formats/model/model.h"

int ft_model_tables_write(hid_t group, const struct ft_model *model, struct ft_diag *diag);
int ft_model_tables_read(hid_t group, struct ft_model *model, struct ft_diag *diag);

#endif
