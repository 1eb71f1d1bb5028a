/*
 * Changes to a program's memory, per thread in the order of its log: allocations and frees (where
 * the capture logged these calls), mappings, and the program break. Read from the logs before any
 * access is looked at. Immutable.
 *
 * A block lives from the call that returns it to the call that frees it. An allocation inside
 * another one (operator new's malloc) counts for the outer call.
 */
#ifndef FT_ENGINE_DATA_MEMORY_EVENTS_H
#define FT_ENGINE_DATA_MEMORY_EVENTS_H

#include "formats/trace/trace.h"

enum ft_memory_event_kind {
    FT_MEMORY_ASKED, /* a call of `function` begins; the thread waits for others before it gets its
                        block, which is its next */
    FT_MEMORY_ALLOCATED, /* [address, address + bytes), by a call of `function` */
    FT_MEMORY_FREED,     /* the block at `address` */
    FT_MEMORY_MAPPED,    /* [address, address + bytes); from: the address hint, or 0 */
    FT_MEMORY_UNMAPPED,  /* the same */
    FT_MEMORY_MOVED,     /* mremap: the mapping at `from` is now [address, address + bytes) */
    FT_MEMORY_BREAK,     /* the program break is at `address` */
};

struct ft_memory_event {
    uint64_t position; /* accesses of the thread's log before it */
    uint64_t address, bytes, from;
    uint64_t alignment;   /* FT_MEMORY_ALLOCATED: asked for; 0: malloc's own */
    const char *function; /* the trace's; of FT_MEMORY_ASKED and FT_MEMORY_ALLOCATED, else NULL */
    uint8_t kind;         /* enum ft_memory_event_kind */
};

struct ft_thread_memory {
    struct ft_memory_event *events; /* by position */
    size_t count, capacity;
    uint64_t first_rsp; /* at the start of its log; 0: no log */
};

struct ft_memory_events {
    struct ft_thread_memory *threads;
    uint32_t thread_count;
    bool has_calls; /* the trace has calls of allocation functions */
};

/* Whether a trace has calls of allocation functions. */
bool ft_trace_has_allocations(const struct ft_trace *trace);
int ft_memory_events_read(struct ft_trace *trace, struct ft_memory_events *ret_events,
                          struct ft_diag *diag);
void ft_memory_events_fini(struct ft_memory_events *events);

#endif
