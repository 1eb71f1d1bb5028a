/*
 * The pairs of references of an entry in its group of a file.
 */
#ifndef FT_FORMATS_HISTOGRAMS_PAIR_TABLES_H
#define FT_FORMATS_HISTOGRAMS_PAIR_TABLES_H

#include <hdf5.h>

#include "formats/histograms/entry.h"

/* The group `pairs` of an entry: tables `pairs` (size index, sink, source, scope, is_carried),
 * `histograms` and `bins`. Reading checks numbers and order. */
int ft_reuse_pairs_write(hid_t group, const struct ft_histograms *entry, struct ft_diag *diag);
int ft_reuse_pairs_read(hid_t group, struct ft_histograms *entry, struct ft_diag *diag);

#endif
