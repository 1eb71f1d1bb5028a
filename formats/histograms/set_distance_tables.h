/*
 * Distances within sets in HDF5: the table `set_distances` of a group, a row for each of
 * set_distances.h.
 */
#ifndef FT_FORMATS_HISTOGRAMS_SET_DISTANCE_TABLES_H
#define FT_FORMATS_HISTOGRAMS_SET_DISTANCE_TABLES_H

#include <hdf5.h>

#include "formats/base/status.h"
#include "formats/histograms/set_distances.h"

/* Writes nothing where distances is NULL. */
int ft_set_distances_write(hid_t group, const struct ft_set_distances *distances,
                           struct ft_diag *diag);
/* *ret_distances is NULL where there is no table; to be given to ft_set_distances_free. Rows are
 * checked: of fewer than size_count block sizes, in order, with touches above 0, and in each number
 * of sets no more than all of their step. */
int ft_set_distances_read(hid_t group, size_t size_count, struct ft_set_distances **ret_distances,
                          struct ft_diag *diag);

#endif
