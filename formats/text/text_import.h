/*
 * Converts the text of another tool to a trace file, in one pass and bounded memory.
 */
#ifndef FT_FORMATS_TEXT_TEXT_IMPORT_H
#define FT_FORMATS_TEXT_TEXT_IMPORT_H

#include "formats/base/progress.h"
#include "formats/text/text_format.h"
#include "formats/trace/trace.h"

/* Reads `path` ("-": standard input) and writes `output`. metadata: its texts but the end reason
 * are set (program may be NULL); gets its totals, the end reason, and the command where the text
 * tells it. After bad input nothing is left of the output;
 * FILE.partial stays where the output could not be written. progress may be NULL. */
int ft_text_import(const char *path, const struct ft_text_format *format, const char *output,
                   struct ft_metadata *metadata, struct ft_progress *progress,
                   struct ft_diag *diag);

#endif
