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

#include "formats/base/source_files.h"
#include "formats/base/status.h"
#include "formats/expand/runs.h"
#include "formats/trace/event.h"
#include "formats/trace/execution_counts.h"
#include "formats/trace/metadata.h"
#include "formats/trace/modules.h"
#include "formats/x86/unit.h"

struct ft_trace; /* opaque reader */

struct ft_trace_options {
    bool allow_incomplete; /* open .partial and truncated files, and read their intact part */
    bool only_carve; /* look for chunks in the raw bytes, even where HDF5 could list them; with
                        allow_incomplete */
};

int ft_trace_open(const char *path, const struct ft_trace_options *options,
                  struct ft_trace **ret_trace, struct ft_diag *diag);
void ft_trace_close(struct ft_trace *trace);

const char *ft_trace_path(const struct ft_trace *trace);
uint64_t ft_trace_file_bytes(const struct ft_trace *trace);
/* The format version that a reader of the trace must know. */
unsigned ft_trace_version(const struct ft_trace *trace);
/* 64-bit hash over the chunk checksums in logical order, as 16 hex digits. */
const char *ft_trace_content_hash(const struct ft_trace *trace);
bool ft_trace_is_complete(const struct ft_trace *trace);
const struct ft_metadata *ft_trace_metadata(const struct ft_trace *trace);
size_t ft_trace_module_count(const struct ft_trace *trace);
const struct ft_module *ft_trace_module(const struct ft_trace *trace, size_t index);
/* None where capture was not asked for them. */
const struct ft_source_files *ft_trace_sources(const struct ft_trace *trace);
/* Units have ids 1 .. ft_trace_unit_count(). */
size_t ft_trace_unit_count(const struct ft_trace *trace);
const struct ft_unit *ft_trace_unit(const struct ft_trace *trace, uint32_t id);
size_t ft_trace_event_count(const struct ft_trace *trace);
const struct ft_event *ft_trace_event(const struct ft_trace *trace, size_t index);
uint32_t ft_trace_thread_count(const struct ft_trace *trace);
/* pc to module offset; false (and offset = pc) outside all modules. */
bool ft_trace_locate(const struct ft_trace *trace, uint64_t pc, uint32_t *ret_module,
                     uint64_t *ret_offset);

/* The counts of a trace without addresses (`capture --counts`); NULL for others. */
const struct ft_execution_counts *ft_trace_counts(const struct ft_trace *trace);
/* Refuses such a trace, for callers that need addresses. */
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
void ft_trace_runs_skip(struct ft_run_source *source, uint32_t first, const bool *passed);

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
/* Where a source stands at the end of a pass through logs that come again (log_parts.h): how many
 * whole passes, the same runs each, lie before its end; else 0. */
uint64_t ft_trace_runs_passes(const struct ft_run_source *source);
/* Marks that place, for ft_trace_runs_pass at the next such place. */
int ft_trace_runs_mark(struct ft_run_source *source, struct ft_diag *diag);
/* Leaves out so many passes, at most those that there are, and counts each as what was counted
 * since the mark. False, and nothing is done, where that does not say what they would count. */
bool ft_trace_runs_pass(struct ft_run_source *source, uint64_t passes);
/* Ends a source early, as if its end was the place where it stands. */
void ft_trace_runs_stop(struct ft_run_source *source);
/* Accesses (or what else it gives) up to its end, about. */
uint64_t ft_trace_runs_left(const struct ft_run_source *source);
/* Moves the end of a source that has not told of it (run_count 0) to a place that lies behind. */
void ft_trace_runs_extend(struct ft_run_source *source, struct ft_log_place to);

#endif
