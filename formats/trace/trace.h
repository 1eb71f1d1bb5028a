/*
 * The trace in memory: what `capture` writes and every analysis reads (docs/trace-format.md).
 *
 * A trace file is an HDF5 file with one extensible dataset /chunks of self-describing, checksummed,
 * zstd-compressed chunks, an index of them, and attributes that stock tools can read. Opening
 * reads everything but the logs: metadata, modules, units, events. Logs are then read chunk by
 * chunk: as records (log.h), as instructions (dump), or as runs.
 *
 * A reader is used by one thread at a time; several readers of one file are independent.
 */
#ifndef FT_FORMATS_TRACE_TRACE_H
#define FT_FORMATS_TRACE_TRACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "formats/base/status.h"
#include "formats/trace/capture_host.h"
#include "formats/trace/modules.h"
#include "formats/trace/runs.h"
#include "formats/x86/unit.h"

/* The newest format version that is read. What is written says the oldest that knows it. */
#define FT_TRACE_VERSION            6
#define FT_TRACE_VERSION_REFERENCES 2 /* units without code */
#define FT_TRACE_VERSION_KERNEL     3 /* escapes of system calls */
#define FT_TRACE_VERSION_PATHS      3 /* units in pieces */
#define FT_TRACE_VERSION_LOOP_PATHS 4 /* loops of several blocks */
#define FT_TRACE_VERSION_SPANS      5 /* spans of the items of loops */
#define FT_TRACE_VERSION_COUNTS     6 /* counts in the place of logs */

struct ft_parameter {
    char *name;
    double value;
};

struct ft_metadata {
    struct ft_parameter *parameters; /* -D NAME=VALUE, in order */
    size_t parameter_count;
    char **arguments; /* the program's command line, 0-terminated texts */
    size_t argument_count;
    char *directory; /* working directory */
    char *program;   /* path of the executable */
    char *host, *kernel, *cpu;
    char *tool_version;
    char *started;    /* ISO 8601, UTC; no part of any result */
    char *end_reason; /* why the trace ends: "the program exited with status 0" */
    uint32_t xsave_standard_bytes, xsave_compact_bytes;
    uint64_t instructions; /* executed, all threads; 0 in a trace that was cut off */
    uint64_t accesses;     /* loads and stores, prefetches not counted */
    uint64_t prefetches;
    double target_cpu_seconds; /* user and system time of the program while it was captured */
    double host_cpu_seconds;   /* of foretrace meanwhile, all threads */
    bool has_kernel_totals;    /* the next three: not in imported, early and cut-off traces */
    uint64_t kernel_calls;     /* escapes of system calls: what they touch are no accesses */
    uint64_t kernel_reads_bytes, kernel_writes_bytes; /* of the program's memory, there */
    uint64_t library_calls;                           /* likewise: has_kernel_totals */
    struct ft_capture_host capture_host;
};
/* What every trace has that is made now: tool_version and started; false without memory. */
bool ft_metadata_begin(struct ft_metadata *metadata);
int ft_metadata_copy(const struct ft_metadata *from, struct ft_metadata *ret_copy,
                     struct ft_diag *diag);
void ft_metadata_fini(struct ft_metadata *metadata);
/* The arguments with blanks between them, to be freed; NULL without memory. */
char *ft_metadata_command(const struct ft_metadata *metadata);

enum ft_event_kind {
    FT_EVENT_MODULE_MAPPED = 1, /* a: module index, b: address, c: bytes */
    FT_EVENT_UNMAPPED,          /* b: address, c: bytes */
    FT_EVENT_CODE_CHANGED,      /* b: address, c: bytes */
    FT_EVENT_SIGNAL,            /* a: signal number, b: handler's pc or 0 */
    FT_EVENT_SIGNAL_RETURN,
    FT_EVENT_THREAD_STARTED, /* a: thread index, b: kernel thread id */
    FT_EVENT_THREAD_ENDED,   /* a: thread index, b: status as wait(2) gives it */
    FT_EVENT_STAMP,          /* these four are not used: the log has escapes in their place */
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
};

struct ft_event {
    uint64_t sequence; /* from 1, over all threads, in order of happening */
    uint32_t kind;
    uint32_t thread;
    uint64_t a, b, c;
    char *text; /* NULL unless the kind has one */
};

struct ft_trace; /* opaque reader */

struct ft_trace_options {
    bool allow_incomplete; /* open .partial files and files cut short: what is whole is read */
    bool only_carve; /* look for chunks in the raw bytes, even where HDF5 could list them; with
                        allow_incomplete */
};

int ft_trace_open(const char *path, const struct ft_trace_options *options,
                  struct ft_trace **ret_trace, struct ft_diag *diag);
void ft_trace_close(struct ft_trace *trace);

const char *ft_trace_path(const struct ft_trace *trace);
uint64_t ft_trace_file_bytes(const struct ft_trace *trace);
/* The format version that it takes to read the trace. */
unsigned ft_trace_version(const struct ft_trace *trace);
/* 64-bit hash over the chunk checksums in logical order, as 16 hex digits. */
const char *ft_trace_content_hash(const struct ft_trace *trace);
bool ft_trace_is_complete(const struct ft_trace *trace);
const struct ft_metadata *ft_trace_metadata(const struct ft_trace *trace);
size_t ft_trace_module_count(const struct ft_trace *trace);
const struct ft_module *ft_trace_module(const struct ft_trace *trace, size_t index);
/* Units have ids 1 .. ft_trace_unit_count(). */
size_t ft_trace_unit_count(const struct ft_trace *trace);
const struct ft_unit *ft_trace_unit(const struct ft_trace *trace, uint32_t id);
size_t ft_trace_event_count(const struct ft_trace *trace);
const struct ft_event *ft_trace_event(const struct ft_trace *trace, size_t index);
uint32_t ft_trace_thread_count(const struct ft_trace *trace);
/* pc to module offset; false (and offset = pc) outside all modules. */
bool ft_trace_locate(const struct ft_trace *trace, uint64_t pc, uint32_t *ret_module,
                     uint64_t *ret_offset);

/* How often units ran and followed each other, gathered while runs are read. */
struct ft_unit_edge {
    uint32_t from, to; /* unit ids; from 0: the first unit of a thread or after a signal */
    uint64_t count;
};
struct ft_unit_part { /* a unit of which only the first instructions ran, before a signal */
    uint32_t unit, instructions; /* instructions not 0 */
    uint64_t count;
};
struct ft_execution_counts {
    uint64_t *units; /* by id, unit_count + 1 entries: whole executions, each iteration of a loop */
    uint64_t *loop_entries;     /* by id: for loops how often they were entered, else 0 */
    struct ft_unit_edge *edges; /* sorted by (from, to); a loop's back edge included */
    size_t edge_count;
    struct ft_unit_part *parts; /* sorted by (unit, instructions); edges lead to them, too */
    size_t part_count;
    /* Of a part of a log: its first unit, which follows the last one of the part before, in no edge
     * yet and, if it is a loop, in no entry; 0: what it follows is known. The last one, 0 for none,
     * is known where any unit or signal is in the part, or the part begins the log. */
    uint32_t first, last;
    bool first_is_loop, last_is_known;
};
void ft_execution_counts_fini(struct ft_execution_counts *counts);
/* Those of a trace that has no addresses, `capture --counts`; NULL of others. */
const struct ft_execution_counts *ft_trace_counts(const struct ft_trace *trace);
/* Refuses such a trace, for who needs addresses. */
int ft_trace_require_addresses(const struct ft_trace *trace, struct ft_diag *diag);

/* A source of the runs of one thread's logs. Its references are numbered in order of unit, then
 * instruction, then access, each once, prefetches left out: the same numbers for all threads of a
 * trace. `counts` may be NULL; else it is filled at the end of the source, and must live until
 * then. */
int ft_trace_runs(struct ft_trace *trace, uint32_t thread, struct ft_execution_counts *counts,
                  struct ft_run_source **ret_source, struct ft_diag *diag);

/* The same with instruction fetches or with nothing else; content: a sum of enum ft_run_content.
 * With FT_RUN_FETCHES the references are those of a source without, under the same numbers, and
 * behind them the fetches, whether accesses are asked for or not. */
int ft_trace_runs_of(struct ft_trace *trace, uint32_t thread, unsigned content,
                     struct ft_execution_counts *counts, struct ft_run_source **ret_source,
                     struct ft_diag *diag);

#define FT_TRACE_THREADS_MAX (1U << 20) /* docs/trace-format.md */

/* Before a source's first batch: leaves out fetches that the caller can do without, passed[number
 * of the fetch - first], the caller's as long as the source lives. The first instruction of a unit
 * is given all the same, and what ran of a unit that a signal stopped. */
void ft_trace_runs_pass_over(struct ft_run_source *source, uint32_t first, const bool *passed);

/* A place in a thread's log: in its chunk `chunk`, the end of the first batch that so many accesses
 * of the chunk have been given with; 0: the chunk's start. */
struct ft_log_place {
    size_t chunk;
    uint64_t accesses;
};
/* A source of what lies between two places. Sources between a < b and b < c give together what one
 * between a and c gives, the same runs. Only chunks that are needed are read. */
int ft_trace_runs_between(struct ft_trace *trace, uint32_t thread, unsigned content,
                          struct ft_log_place from, struct ft_log_place to,
                          struct ft_execution_counts *counts, struct ft_run_source **ret_source,
                          struct ft_diag *diag);
/* Where such a source stands behind the batch that it gave last; false where a batch ended in the
 * middle of a record, where no other source could go on. */
bool ft_trace_runs_place(const struct ft_run_source *source, struct ft_log_place *ret_place);
/* Ends a source early, as if its end was the place where it stands. */
void ft_trace_runs_stop(struct ft_run_source *source);
/* Accesses (or what else it gives) up to its end, about. */
uint64_t ft_trace_runs_left(const struct ft_run_source *source);
/* Moves the end of a source that has not told of it (run_count 0) to a place that lies behind. */
void ft_trace_runs_extend(struct ft_run_source *source, struct ft_log_place to);

#endif
