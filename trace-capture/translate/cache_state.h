/*
 * The state of a process's code cache (code_cache.h), for the files that each maintain a part of
 * it.
 */
#ifndef FT_TRACE_CAPTURE_TRANSLATE_CACHE_STATE_H
#define FT_TRACE_CAPTURE_TRANSLATE_CACHE_STATE_H

#include "formats/base/hash_table.h"
#include "trace-capture/target/region.h"
#include "trace-capture/translate/translation.h"
#include "trace-capture/translate/translation_table.h"

enum ft_stop_kind {
    FT_STOP_LINK,      /* an exit whose target is not translated yet */
    FT_STOP_MISS,      /* an indirect branch to a pc, in rcx, without an indirect target */
    FT_STOP_SYSCALL,   /* a system call that the host handles */
    FT_STOP_VECTOR,    /* after a system call that took a vector of buffers */
    FT_STOP_TRAP,      /* an instruction that always raises a signal, or iretq */
    FT_STOP_CHANGED,   /* code that differs from what was translated */
    FT_STOP_REWRITTEN, /* the same inside a loop */
    FT_STOP_CLOSED,    /* the entry of a translation that is forgotten or closed */
    FT_STOP_WINDOW,    /* the entry of a translation at which a window may open or close */
    FT_STOP_RETURN, /* before the translation that the function returns to that opened a window, or
                       a call of MPI */
    FT_STOP_CALL,   /* the entry of a function of MPI */
};

struct ft_stop {
    uint64_t address;                   /* of the int3 */
    uint8_t kind;                       /* enum ft_stop_kind */
    struct ft_translation *translation; /* of all but misses and system calls */
    unsigned link;
};

/* Addresses of the code that system calls run through if they are not made in their unit. */
struct ft_syscall_routes {
    uint64_t stop, mask;
    uint64_t timestamp, timestamp_call,
        timestamp_end;                /* its syscall instruction; the end of the route */
    uint64_t logged_call, logged_end; /* the same for calls that are logged */
    uint64_t vector_call;             /* of calls with a vector, which stop after it */
};

struct ft_edge_counts;
struct ft_code_cache {
    struct ft_target *target;      /* a stopped thread, on whose behalf system calls are made */
    struct ft_region tables;       /* the first thread's region: all threads share its tables */
    struct ft_edge_counts *counts; /* NULL unless edges are counted */
    struct ft_zone **zones;
    size_t zone_count, zone_capacity;
    struct ft_translation_table by_pc[FT_MODES];
    struct ft_translation **by_page; /* hash chains, bucket_count */
    size_t bucket_count;
    struct ft_translation *paths; /* by next_path */
    struct ft_stop *stops;
    size_t stop_count, stop_capacity;
    struct ft_hash_table stop_indices; /* by address */
    uint64_t miss_stub;
    bool has_indirect_targets[FT_MODES]; /* the mode's table goes there, or to targets */
    struct ft_syscall_routes routes;     /* syscall_routes.h */
};

#endif
