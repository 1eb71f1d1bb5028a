/*
 * Merges histograms of the same trace at different block sizes.
 */
#ifndef FT_FORMATS_HISTOGRAMS_APPEND_SIZES_H
#define FT_FORMATS_HISTOGRAMS_APPEND_SIZES_H

#include "formats/histograms/histograms.h"

/* Puts the sizes of `more` behind those of `sum`. `more` is emptied, also on failure. */
int ft_histograms_append_sizes(struct ft_histograms *sum, struct ft_histograms *more,
                               struct ft_diag *diag);

#endif
