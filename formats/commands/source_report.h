/*
 * The source files that a trace, histograms or a model keep, as `info` shows them.
 */
#ifndef FT_FORMATS_COMMANDS_SOURCE_REPORT_H
#define FT_FORMATS_COMMANDS_SOURCE_REPORT_H

#include <stdio.h>

#include "formats/base/source_files.h"
#include "formats/cli/json.h"

/* Entries of path and bytes. */
json_t *ft_sources_json(const struct ft_source_files *files);
/* A table; nothing where there are none. */
int ft_sources_print(const struct ft_source_files *files, FILE *stream, struct ft_diag *diag);

#endif
