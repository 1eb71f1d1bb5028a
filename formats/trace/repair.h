/*
 * Makes a complete trace of the intact part of another: tables are rewritten, log chunks are copied
 * unchanged. An undamaged trace keeps its content hash; a private copy has another.
 */
#ifndef FT_FORMATS_TRACE_REPAIR_H
#define FT_FORMATS_TRACE_REPAIR_H

#include "formats/trace/trace.h"

/* log_counts[thread]: how many chunks of a thread's log, from the first, are copied. is_whole:
 * nothing is missing, so the totals and the end reason are copied as well. path must not be the
 * trace. */
int ft_trace_repair(const struct ft_trace *trace, const size_t *log_counts, bool is_whole,
                    const char *path, struct ft_diag *diag);

/* A copy of a complete trace without what tells of person and place (private_parts.h), and without
 * its source files if they are not asked for. */
int ft_trace_copy_private(const char *from, const char *path, bool with_sources,
                          struct ft_diag *diag);

#endif
