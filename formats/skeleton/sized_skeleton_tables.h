/*
 * A skeleton over sizes in HDF5: a group `skeleton` with tables `sizes`, `laws` (of the numbers
 * that change), `sized` (token by token), those of block_laws_tables.h and drawn_tables.h,
 * `held_out` (errors; only where a size was held out), and in the group `largest` the skeleton of
 * the largest size (skeleton_tables.h). The scope tree is stored beside it.
 */
#ifndef FT_FORMATS_SKELETON_SIZED_SKELETON_TABLES_H
#define FT_FORMATS_SKELETON_SIZED_SKELETON_TABLES_H

#include <hdf5.h>

#include "formats/skeleton/sized_skeleton.h"

/* NULL: writes nothing. */
int ft_sized_skeleton_write(hid_t parent, const struct ft_sized_skeleton *sized,
                            struct ft_diag *diag);
/* NULL in *ret_sized where there is none; else to be ended and freed. */
int ft_sized_skeleton_read(hid_t parent, const struct ft_scopes *scopes,
                           struct ft_sized_skeleton **ret_sized, struct ft_diag *diag);

#endif
