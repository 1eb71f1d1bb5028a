/*
 * Laws of heap blocks in HDF5: the tables `block_laws` and `block_levels` of events, or in the
 * group `block_loops` the tables `calls`, of what stands for references, those of nest_tables.h and
 * those of its numbers' laws; and `confirmed`, block by block.
 */
#ifndef FT_FORMATS_SKELETON_BLOCK_LAWS_TABLES_H
#define FT_FORMATS_SKELETON_BLOCK_LAWS_TABLES_H

#include <hdf5.h>

#include "formats/skeleton/sized_skeleton.h"

/* by_level: as for ft_size_laws_write. */
int ft_block_laws_write(hid_t group, const struct ft_block_laws *laws, bool by_level,
                        struct ft_diag *diag);
/* After a failure too, ret_laws is to be given to ft_block_laws_fini. */
int ft_block_laws_read(hid_t group, const struct ft_skeleton *largest,
                       struct ft_block_laws *ret_laws, struct ft_diag *diag);

#endif
