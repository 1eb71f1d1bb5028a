/*
 * The windows of a trace (capture --from and the like): the parts of the run that were recorded.
 * Without windows it is the whole run.
 */
#ifndef FT_FORMATS_TRACE_RECORDED_WINDOWS_H
#define FT_FORMATS_TRACE_RECORDED_WINDOWS_H

#include "formats/trace/trace.h"

struct ft_recorded_windows {
    bool any;              /* it has windows, or nothing was recorded because none opened */
    uint64_t count;        /* of windows */
    bool counted;          /* the instructions outside of them are known: */
    uint64_t instructions; /* of all threads */
};
struct ft_recorded_windows ft_recorded_windows(const struct ft_trace *trace);

#endif
