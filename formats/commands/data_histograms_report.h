/*
 * Reuse distances by data, as `replay --data` and `info` show them: objects, their reuse distances,
 * and their misses in fully associative caches (docs/json.md, "info").
 */
#ifndef FT_FORMATS_COMMANDS_DATA_HISTOGRAMS_REPORT_H
#define FT_FORMATS_COMMANDS_DATA_HISTOGRAMS_REPORT_H

#include <stdio.h>

#include "formats/cli/json.h"
#include "formats/histograms/histograms.h"

/* The `limit` objects with most accesses, at the smallest block size from 64 bytes on, as text;
 * nothing where data were not asked for. */
int ft_data_histograms_print(const struct ft_histograms *entry, const char *title, size_t limit,
                             FILE *stream, struct ft_diag *diag);
/* All of them; NULL: out of memory. */
json_t *ft_data_histograms_json(const struct ft_histograms *entry);

#endif
