/*
 * The LRU stacks of a trace in its group of a histogram file: table `stacks` (kind, threads,
 * in_sum), and for row k a group stack_k with tables `block_sizes`, `references` (number in the
 * trace, accesses), `histograms` and `bins`. Readers ignore rows of unknown kinds.
 */
#ifndef FT_FORMATS_HISTOGRAMS_STACK_TABLES_H
#define FT_FORMATS_HISTOGRAMS_STACK_TABLES_H

#include <hdf5.h>

#include "formats/histograms/entry.h"

int ft_histogram_stacks_write(hid_t group, const struct ft_histograms *entry, struct ft_diag *diag);
/* The entry's sizes and references must be there. */
int ft_histogram_stacks_read(hid_t group, struct ft_histograms *entry, struct ft_diag *diag);

#endif
