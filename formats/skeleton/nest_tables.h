/*
 * A loop nest (nest.h) in HDF5: the tables `tokens` and `numbers`.
 */
#ifndef FT_FORMATS_SKELETON_NEST_TABLES_H
#define FT_FORMATS_SKELETON_NEST_TABLES_H

#include <hdf5.h>

#include "formats/skeleton/nest_check.h"

int ft_nest_tables_write(hid_t group, const struct ft_nest *nest, struct ft_diag *diag);
/* What is read is checked. After a failure too, ret_nest is to be given to ft_nest_fini. */
int ft_nest_tables_read(hid_t group, const struct ft_nest_ids *ids, struct ft_nest *ret_nest,
                        struct ft_diag *diag);

#endif
