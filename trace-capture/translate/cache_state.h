/*
 * What the code cache of a process holds (code_cache.h), for the files that each keep a part of it.
 */
#ifndef FT_TRACE_CAPTURE_TRANSLATE_CACHE_STATE_H
#define FT_TRACE_CAPTURE_TRANSLATE_CACHE_STATE_H

#include "trace-capture/target/region.h"
#include "trace-capture/translate/translation.h"
#include "trace-capture/translate/translation_table.h"

enum ft_stop_kind {
    FT_STOP_LINK,      /* an exit whose destination is not translated yet */
    FT_STOP_MISS,      /* an indirect destination without an indirect target; pc in rcx */
    FT_STOP_SYSCALL,   /* a system call that the host decides on */
    FT_STOP_VECTOR,    /* behind a system call that took a vector of buffers */
    FT_STOP_TRAP,      /* an instruction that raises a signal by itself, or iretq */
    FT_STOP_CHANGED,   /* code that is not what was translated */
    FT_STOP_REWRITTEN, /* the same in the midst of a loop */
    FT_STOP_CLOSED,    /* the entry of a translation that is forgotten or closed */
    FT_STOP_WINDOW,    /* the entry of a translation at which a window may open or close */
    FT_STOP_RETURN,    /* before a translation to which the function returns that opened one */
};

struct ft_stop {
    uint64_t address;                   /* of the int3 */
    uint8_t kind;                       /* enum ft_stop_kind */
    struct ft_translation *translation; /* all but misses and system calls */
    unsigned link;
};

/* Addresses of what system calls run that do not run at their own place. */
struct ft_syscall_routes {
    uint64_t stop, mask;
    uint64_t timestamp, timestamp_call,
        timestamp_end;                /* its syscall instruction, and what lies behind it all */
    uint64_t logged_call, logged_end; /* the same of those that are logged */
    uint64_t vector_call;             /* of those with a vector, which stop behind it */
};

struct ft_edge_counts;
struct ft_code_cache {
    struct ft_target *target;      /* a stopped thread, in whose name system calls are made */
    struct ft_region tables;       /* the first thread's region: its tables are those of all */
    struct ft_edge_counts *counts; /* NULL unless edges are counted */
    struct ft_zone **zones;
    size_t zone_count, zone_capacity;
    struct ft_translation_table by_pc[FT_MODES];
    struct ft_translation **by_page; /* hash chains, bucket_count */
    size_t bucket_count;
    struct ft_translation *paths; /* by next_path */
    struct ft_stop *stops;        /* open addressing by address */
    size_t stop_count, stop_slots;
    uint64_t miss_stub;
    struct ft_syscall_routes routes; /* syscall_routes.h */
};

#endif
