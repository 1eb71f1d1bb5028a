/*
 * An array of histograms as two tables of an open group: `histograms`, a row each, and `bins`.
 * Reading checks that bins ascend, and that counts and sums can belong to them.
 */
#ifndef FT_FORMATS_HISTOGRAMS_HISTOGRAM_TABLES_H
#define FT_FORMATS_HISTOGRAMS_HISTOGRAM_TABLES_H

#include <hdf5.h>

#include "formats/histograms/histogram.h"

int ft_histogram_tables_write(hid_t group, const struct ft_histogram *histograms, size_t count,
                              struct ft_diag *diag);
int ft_histogram_tables_read(hid_t group, size_t count, struct ft_histogram **ret_histograms,
                             struct ft_diag *diag);

#endif
