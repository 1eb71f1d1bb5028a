/*
 * One captured image of a process while it runs: the tracing thread's state of it and its threads.
 * Internal to trace-capture; each part belongs to the file named beside it.
 */
#ifndef FT_TRACE_CAPTURE_TRACER_CAPTURE_STATE_H
#define FT_TRACE_CAPTURE_TRACER_CAPTURE_STATE_H

#include <pthread.h>

#include "formats/codec/log.h"
#include "formats/trace/trace.h"
#include "trace-capture/modules/source_outcome.h"
#include "trace-capture/target/region.h"
#include "trace-capture/target/target.h"
#include "trace-capture/tracer/window_options.h"
#include "trace-capture/translate/cache_state.h"
#include "trace-capture/translate/translator.h"
#include "trace-capture/translate/watched_functions.h"

struct ft_drain;
struct ft_code_page;
struct ft_thread;

struct ft_code_mapping {
    uint64_t start, end, offset;
    uint32_t module; /* FT_NO_MODULE: anonymous memory */
    bool may_change; /* without a system call */
};

struct ft_kernel_sigaction { /* as rt_sigaction takes it */
    uint64_t handler, flags, restorer, mask;
};

/* The buffers of a system call that takes a vector of them, as the vector was at the call. */
struct ft_kernel_vector {
    struct ft_kernel_segment {
        uint64_t address, length;
        uint32_t message; /* of recvmmsg and sendmmsg; else 0 */
    } * segments;
    size_t count, capacity;
    uint64_t number;   /* of the call; meaningless once it is logged */
    uint64_t messages; /* address of their array, 0: none */
    bool is_open;      /* the call is under way */
};

struct ft_instruction_count { /* thread_count.c */
    uint64_t limit;           /* end of the area; 0: there is none */
    uint64_t start;           /* of what the area counts now */
    uint64_t counted;         /* before that */
    uint64_t target;          /* where to stop */
};

struct ft_paths {   /* paths.c */
    uint8_t *tries; /* by unit: how often a path was tried from there */
    size_t capacity, count;
    uint64_t log_bytes;  /* so far */
    uint64_t made;       /* paths of it */
    uint64_t next_scan;  /* of log_bytes */
    uint64_t wait_bytes; /* between scans that find nothing */
};

struct ft_window_function { /* the address of a function of --from or --until */
    uint64_t pc;
    size_t name;
};

struct ft_windows {
    const struct ft_window_options *options;
    struct ft_window_outcome *outcome;    /* of all images */
    struct ft_window_function *functions; /* in order of pc */
    size_t function_count, function_capacity;
    enum ft_mode mode; /* that all threads run in, or will at their next clean point */
    bool skipping;     /* the instructions of --skip */
    uint64_t opened;   /* windows opened so far */
    /* where the function that opened the current one returns to; 0: something else closes it */
    uint64_t return_pc, return_rsp;
    uint32_t return_thread;
    uint64_t *return_stops; /* addresses of the program that have a stop for it */
    size_t return_stop_count, return_stop_capacity;
};

/* If edges are counted: the node that the thread has left, and how (edge_counts.h); or the
 * outside. */
struct ft_walk_position {
    uint32_t node;
    uint8_t left;
};

struct ft_app_state {
    struct user_regs_struct registers; /* as in a native run; rip is the program's */
    uint64_t log_pointer;         /* between two records; outside of windows after the last one */
    struct ft_walk_position left; /* where it comes from, until that is counted (walks.c) */
};

/* What a handle stands for. */
struct ft_mpi_object {
    uint64_t handle;
    uint64_t number;       /* formats/trace/mpi_functions.h; of a datatype none */
    uint64_t size;         /* ranks of a communicator, 0: not known; bytes of a datatype */
    uint64_t directions;   /* of a communicator that is a grid; 0: none */
    uint64_t communicator; /* number of that of a file */
};
struct ft_mpi_objects { /* mpi_objects.h */
    struct ft_mpi_object *items;
    size_t count, capacity;
    uint64_t made;
};
struct ft_mpi_handles { /* mpi_reading.c */
    struct ft_mpi_objects communicators, types, groups, files;
};

/* The call of MPI that a thread is in (communication.c). */
#define FT_MPI_ARGUMENTS_MAX 12
struct ft_mpi_call_state {
    bool is_open;
    uint64_t return_pc, return_rsp; /* return_pc 0: a thread of the library, which never returns */
    const struct ft_mpi_function *function; /* NULL: known by name only */
    uint64_t arguments[FT_MPI_ARGUMENTS_MAX];
    uint64_t type_bytes; /* of the datatype that it makes */
};

/* What the tracer does about a stop of a thread that is being stepped to a clean point (signals.c):
 * the functions of these names in tracer.h. */
struct ft_stop_handlers {
    int (*at_stop)(struct ft_thread *thread, const struct ft_stop *stop,
                   struct user_regs_struct *registers, struct ft_diag *diag);
    int (*translation_stop)(struct ft_thread *thread, int signal,
                            struct user_regs_struct *registers, bool *ret_is_ours,
                            struct ft_diag *diag);
    int (*end)(struct ft_thread *thread, int wait_status, struct ft_diag *diag);
};

struct ft_thread {
    struct ft_capture *capture;
    struct ft_target target;
    uint32_t number; /* in the trace, from 0 */
    struct ft_region region;
    struct ft_log_state buffer_state; /* log_buffer.c: at the start of the buffer */
    struct ft_kernel_vector vector;   /* kernel_vectors.c */
    bool makes_child;                 /* in a system call that creates a thread or process */
    bool child_shares_memory;
    uint64_t scanned_to; /* paths.c: up to this address; 0: from the start */
    enum ft_mode mode;   /* of the translations that it runs in */
    struct ft_mpi_call_state call;
    struct ft_instruction_count count;
    bool is_walking;       /* walks.c: from node to node, to be ended */
    unsigned detach_tries; /* tracer.c: signals that it had first */
    bool dying;            /* its log is closed; it is about to end */
    bool gone;             /* it has ended, or runs natively, detached */
    struct ft_thread *next_spare;
};

struct ft_capture {
    pid_t pid;
    struct ft_thread **threads; /* threads.c: the live ones */
    size_t thread_count, thread_capacity;
    uint32_t threads_numbered;
    struct ft_thread *spare; /* ended ones, whose regions are reused */

    struct ft_code_cache cache;
    struct ft_translator translator;
    struct ft_paths paths;
    struct ft_drain *drain;
    const struct ft_stop_handlers *handlers;

    struct ft_code_mapping *mappings; /* mappings.c: the executable ones, ascending */
    size_t mapping_count, mapping_capacity;
    char **module_paths; /* by module index */
    uint64_t *module_starts;
    size_t module_count, module_capacity, module_start_capacity;
    struct ft_code_page **pages; /* hash chains of what was read */
    struct ft_watched_functions watched;
    struct ft_mpi_handles mpi_handles;

    struct ft_kernel_sigaction trap_action, fault_action; /* signals.c */
    struct ft_windows windows;
    bool is_attached; /* it ran before */
    bool releasing;   /* the trace ends here: all threads continue natively */
    bool has_ended;   /* the process has: wait_status is final */
    bool abandoned;   /* it failed: the process is killed, the trace stays unfinished */
    int wait_status;  /* of the process's end */
    char end_reason[512];
    struct ft_edge_counts *counts; /* as in its code cache; NULL unless edges are counted */

    /* capture.c */
    int memory_fd;             /* of all its targets */
    double cpu_seconds_before; /* of the process, when the image started */
    const char *output;
    struct ft_metadata metadata;
    pthread_t writer;
    bool is_writing;
    struct ft_diag outcome; /* of writing */
    bool failure_reported;  /* the failure of writing */
    struct ft_source_outcome sources;
};

/* Whether the code that the thread runs outside of windows counts its instructions. */
static inline bool ft_thread_counts_unlogged(const struct ft_thread *thread)
{
    return thread->mode == FT_MODE_UNLOGGED && thread->capture->translator.counts[FT_MODE_UNLOGGED];
}

#endif
