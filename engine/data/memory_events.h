/*
 * What changed the memory of a program, thread by thread in the order of its log: blocks that
 * allocation functions gave and took back (where the capture logged their calls), mappings, and
 * the program break. Read from the logs before anything is asked about accesses. Immutable.
 *
 * A block lives from the call that gives it to the call that takes it back; what a function of
 * allocation does inside of another one (operator new's malloc) is the outer one's.
 */
#ifndef FT_ENGINE_DATA_MEMORY_EVENTS_H
#define FT_ENGINE_DATA_MEMORY_EVENTS_H

#include "formats/trace/trace.h"

enum ft_memory_event_kind {
    FT_MEMORY_ASKED, /* a call of `function` begins, which gives its block (the thread's next one)
                        only after the thread has waited for others */
    FT_MEMORY_ALLOCATED, /* [address, address + bytes), by a call of `function` */
    FT_MEMORY_FREED,     /* the block at `address` */
    FT_MEMORY_MAPPED,    /* [address, address + bytes); from: where it was asked for, or 0 */
    FT_MEMORY_UNMAPPED,  /* the same */
    FT_MEMORY_MOVED,     /* the mapping at `from` is at address, of so many bytes */
    FT_MEMORY_BREAK,     /* the program break is at `address` */
};

struct ft_memory_event {
    uint64_t place; /* accesses of the thread's log before it */
    uint64_t address, bytes, from;
    const char *function; /* the trace's; of FT_MEMORY_ASKED and FT_MEMORY_ALLOCATED, else NULL */
    uint8_t kind;         /* enum ft_memory_event_kind */
};

struct ft_thread_memory {
    struct ft_memory_event *events; /* by place */
    size_t count, capacity;
    uint64_t first_rsp; /* where its log begins; 0: it has none */
};

struct ft_memory_events {
    struct ft_thread_memory *threads;
    uint32_t thread_count;
    bool has_calls; /* calls of allocation functions are in the trace */
};

int ft_memory_events_read(struct ft_trace *trace, struct ft_memory_events *ret_events,
                          struct ft_diag *diag);
void ft_memory_events_fini(struct ft_memory_events *events);

#endif
