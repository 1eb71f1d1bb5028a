/*
 * The reuse distances of routines and loops as text: what a cache has to hold for half and for nine
 * tenths of their touches to hit, and their histograms as sparklines.
 */
#ifndef FT_FORMATS_COMMANDS_DISTANCES_REPORT_H
#define FT_FORMATS_COMMANDS_DISTANCES_REPORT_H

#include <stdio.h>

#include "formats/histograms/entry.h"

/* Those with most touches, at the block size that is shown (entry.h). */
int ft_distances_print(const struct ft_histograms *entry, FILE *stream, struct ft_diag *diag);

#endif
