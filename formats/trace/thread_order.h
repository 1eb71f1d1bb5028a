/*
 * How the threads of a trace interleaved: the timestamps in their logs, each with the number of the
 * thread's accesses (or fetches, or both: as in a source of runs) before it (docs/trace-format.md,
 * "Order of threads"). Found by counting records, without expanding them.
 */
#ifndef FT_FORMATS_TRACE_THREAD_ORDER_H
#define FT_FORMATS_TRACE_THREAD_ORDER_H

#include "formats/trace/trace.h"

struct ft_timestamp {
    uint64_t accesses; /* of the thread before it, of what was asked for */
    uint64_t time;     /* timestamp counter; never falls within a thread */
};

struct ft_thread_timestamps {
    struct ft_timestamp *timestamps;
    size_t count, capacity;
    uint64_t accesses; /* of the whole log */
};

struct ft_thread_order {
    struct ft_thread_timestamps *threads;
    uint32_t thread_count;
};

/* content: enum ft_run_content. */
int ft_thread_order_read(const struct ft_trace *trace, unsigned content,
                         struct ft_thread_order *ret_order, struct ft_diag *diag);
void ft_thread_order_fini(struct ft_thread_order *order);

#endif
