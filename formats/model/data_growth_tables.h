/*
 * The group `data_growth` of a model in a file, with tables `parameters`, `terms` and `functions`:
 * the model's and those of its replicas. A model without data growth has no such group. Start from
 * {0}; after a failed read ft_data_growth_fini frees what was read.
 */
#ifndef FT_FORMATS_MODEL_DATA_GROWTH_TABLES_H
#define FT_FORMATS_MODEL_DATA_GROWTH_TABLES_H

#include <hdf5.h>

#include "formats/base/status.h"
#include "formats/model/data_growth.h"

int ft_data_growth_write(hid_t model, const struct ft_data_growth *growth, struct ft_diag *diag);
int ft_data_growth_read(hid_t model, size_t replica_count, struct ft_data_growth *growth,
                        struct ft_diag *diag);

#endif
