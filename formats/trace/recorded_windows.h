/*
 * What a trace says of its windows (capture --from and the like): the parts of the run that are in
 * it. Without them the whole run is.
 */
#ifndef FT_FORMATS_TRACE_RECORDED_WINDOWS_H
#define FT_FORMATS_TRACE_RECORDED_WINDOWS_H

#include "formats/trace/trace.h"

struct ft_recorded_windows {
    bool any;              /* it has windows, or nothing was recorded for want of one */
    uint64_t count;        /* of windows */
    bool counted;          /* the instructions outside of them are known: */
    uint64_t instructions; /* of all threads */
};
struct ft_recorded_windows ft_recorded_windows(const struct ft_trace *trace);

#endif
