/*
 * The group `data_growth` of a model in a file, with tables `parameters`, `terms` and `functions`:
 * the model's and those of its replicas. A model of which nothing is known has no such group. What
 * a failed read leaves is freed by ft_data_growth_fini; start from {0}.
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
