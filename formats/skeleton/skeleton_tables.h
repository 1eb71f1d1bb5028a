/*
 * The skeleton of a trace of one thread, with places, in HDF5 (formats/base/records.h): tables
 * `skeleton` of one row, with a version of its own, `references`, `routines` and `loops` (what ids
 * stand for), `tokens` and `numbers` of the nest (formats/skeleton/nest.h), those of
 * irregular_tables.h, `block_events` and `mapped`. The scope tree,
 * to which ids refer, is stored beside it: its first references are the skeleton's.
 *
 * What is read is checked here.
 */
#ifndef FT_FORMATS_SKELETON_SKELETON_TABLES_H
#define FT_FORMATS_SKELETON_SKELETON_TABLES_H

#include <hdf5.h>

#include "formats/skeleton/skeleton.h"

/* Whether files can hold a skeleton: one thread, and not too deep. */
bool ft_skeleton_is_storable(const struct ft_skeleton *skeleton);
/* Bytes of its nest in memory, about. */
uint64_t ft_skeleton_bytes(const struct ft_skeleton *skeleton);

/* The tables stand in `group` itself. */
int ft_skeleton_tables_write(hid_t group, const struct ft_skeleton *skeleton, struct ft_diag *diag);
/* scopes: copied. After a failure too, ret_skeleton is to be given to ft_skeleton_fini. */
int ft_skeleton_tables_read(hid_t group, const struct ft_scopes *scopes,
                            struct ft_skeleton *ret_skeleton, struct ft_diag *diag);

#endif
