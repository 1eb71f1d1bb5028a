/*
 * The histograms by data of an entry in its group of a file.
 */
#ifndef FT_FORMATS_HISTOGRAMS_DATA_TABLES_H
#define FT_FORMATS_HISTOGRAMS_DATA_TABLES_H

#include <hdf5.h>

#include "formats/histograms/entry.h"

/* The group `data` of an entry: tables `items`, `parts` (reference, object, accesses), `histograms`
 * and `bins`. Reading checks numbers and order. */
int ft_data_histograms_write(hid_t group, const struct ft_histograms *entry, struct ft_diag *diag);
int ft_data_histograms_read(hid_t group, struct ft_histograms *entry, struct ft_diag *diag);

#endif
