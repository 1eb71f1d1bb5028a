/*
 * What `info` prints of a histograms file: its traces, and how many accesses of each would miss in
 * fully associative LRU caches, by capacity and block size (docs/replay.md, "Definitions": Mattson
 * et al. 1970).
 */
#ifndef FT_FORMATS_COMMANDS_HISTOGRAMS_REPORT_H
#define FT_FORMATS_COMMANDS_HISTOGRAMS_REPORT_H

#include <stdio.h>

#include "formats/cli/json.h"
#include "formats/histograms/histograms.h"

int ft_histograms_print(const char *path, const struct ft_histogram_file *file, FILE *stream,
                        struct ft_diag *diag);
/* NULL without memory. */
json_t *ft_histograms_json(const struct ft_histogram_file *file);

#endif
