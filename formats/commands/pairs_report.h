/*
 * How pairs of references are shown (formats/histograms/reuse_pairs.h): those with the most blocks
 * between reuses, with their source lines.
 */
#ifndef FT_FORMATS_COMMANDS_PAIRS_REPORT_H
#define FT_FORMATS_COMMANDS_PAIRS_REPORT_H

#include <stdio.h>

#include "formats/histograms/histograms.h"

/* Prints the at most `limit` pairs of greatest sum of distances, at blocks of 64 bytes or the next
 * larger ones that were replayed, else the largest; nothing where there are no pairs. */
int ft_pairs_print(const struct ft_histograms *histograms, const char *title, size_t limit,
                   FILE *stream, struct ft_diag *diag);

#endif
