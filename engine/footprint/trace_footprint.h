/*
 * The footprint of a whole trace, all threads in one order (interleaving.h). The trace is read
 * twice: first to find the routines and loops, then for the blocks that they touch.
 */
#ifndef FT_ENGINE_FOOTPRINT_TRACE_FOOTPRINT_H
#define FT_ENGINE_FOOTPRINT_TRACE_FOOTPRINT_H

#include "engine/footprint/footprint.h"
#include "formats/base/progress.h"
#include "formats/trace/trace.h"

/* Uses as many intervals of equal length as possible, up to interval_count. */
int ft_trace_footprint(struct ft_trace *trace, const uint64_t *block_bytes, size_t size_count,
                       uint64_t interval_count, struct ft_progress *progress,
                       struct ft_scopes *ret_scopes, struct ft_footprint *ret_footprint,
                       struct ft_diag *diag);

#endif
