/*
 * Drawn loops (drawn.h) in HDF5: tables `drawn_loops`, `drawn_paths`, loop by loop, `drawn_tokens`
 * and `drawn_numbers`, path by path; none where no loop is drawn.
 */
#ifndef FT_FORMATS_SKELETON_DRAWN_TABLES_H
#define FT_FORMATS_SKELETON_DRAWN_TABLES_H

#include <hdf5.h>

#include "formats/skeleton/drawn.h"
#include "formats/skeleton/nest_check.h"

int ft_drawn_tables_write(hid_t group, const struct ft_drawn_loop *loops, size_t count,
                          struct ft_diag *diag);
/* ret_loops: NULL where there are none; else as many as `ids` has irregular loops, the caller's. */
int ft_drawn_tables_read(hid_t group, const struct ft_nest_ids *ids,
                         struct ft_drawn_loop **ret_loops, size_t *ret_count, struct ft_diag *diag);

#endif
