/*
 * A complete trace from the intact part of another: tables are rewritten, log chunks are copied
 * unchanged. The content hash of an undamaged trace stays what it was.
 */
#ifndef FT_FORMATS_TRACE_REPAIR_H
#define FT_FORMATS_TRACE_REPAIR_H

#include "formats/trace/trace.h"

/* log_counts[thread]: how many chunks of a thread's log, from its first, are taken over. is_whole:
 * nothing is missing, and the totals and the end of the trace are taken over as well. Refuses to
 * write where the trace itself would be touched. */
int ft_trace_repair(const struct ft_trace *trace, const size_t *log_counts, bool is_whole,
                    const char *path, struct ft_diag *diag);

#endif
