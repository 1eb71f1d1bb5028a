/*
 * The irregular loops of a skeleton in HDF5: tables `irregulars` and `irregular_accesses` (by
 * reference); of skeletons that have paths `paths`, loop by loop, `path_tokens` and `path_numbers`,
 * path by path. Accesses outside of paths are not kept by address.
 */
#ifndef FT_FORMATS_SKELETON_IRREGULAR_TABLES_H
#define FT_FORMATS_SKELETON_IRREGULAR_TABLES_H

#include <hdf5.h>

#include "formats/skeleton/skeleton.h"

int ft_irregular_tables_write(hid_t group, const struct ft_skeleton *skeleton,
                              struct ft_diag *diag);
/* Into the one thread of a skeleton whose references, routines and loops were read. */
int ft_irregular_tables_read(hid_t group, struct ft_skeleton *skeleton, struct ft_diag *diag);

#endif
