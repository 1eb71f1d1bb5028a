/*
 * What happened to a program besides its accesses: modules, signals, threads, windows.
 */
#ifndef FT_FORMATS_TRACE_EVENT_H
#define FT_FORMATS_TRACE_EVENT_H

#include <stdint.h>

enum ft_event_kind {
    FT_EVENT_MODULE_MAPPED = 1, /* a: module index, b: address, c: bytes */
    FT_EVENT_UNMAPPED,          /* b: address, c: bytes */
    FT_EVENT_CODE_CHANGED,      /* b: address, c: bytes */
    FT_EVENT_SIGNAL,            /* a: signal number, b: handler's pc or 0 */
    FT_EVENT_SIGNAL_RETURN,
    FT_EVENT_THREAD_STARTED, /* a: thread index, b: kernel thread id */
    FT_EVENT_THREAD_ENDED,   /* a: thread index, b: status as wait(2) gives it */
    FT_EVENT_STAMP,          /* these four are unused: the log has escapes instead */
    FT_EVENT_ALLOCATED,
    FT_EVENT_FREED,
    FT_EVENT_KERNEL_BUFFER,
    FT_EVENT_WINDOW_OPENED,   /* a: number of the window, from 1 */
    FT_EVENT_WINDOW_CLOSED,   /* a: the same. b: instructions in it, where c is 1 */
    FT_EVENT_ENDED,           /* text: reason */
    FT_EVENT_PROCESS_STARTED, /* a: process id of a child, text: its trace */
    FT_EVENT_UNRECORDED,      /* outside of windows until here. b: instructions, where c is 1 */
    FT_EVENT_FUNCTION,        /* a: its number in CALL escapes, b: pc, c: enum ft_library_class,
                                 text: name */
    FT_EVENT_IMPORTED, /* a: bytes of the file that the trace was made from, text: its format,
                          SHA-256 and name, with a blank between (text_import.h) */
};

struct ft_event {
    uint64_t sequence; /* from 1, over all threads, in order of happening */
    uint32_t kind;
    uint32_t thread;
    uint64_t a, b, c;
    char *text; /* NULL unless the kind has one */
};

#endif
