/*
 * The drain: takes the records of full log buffers from the tracing thread and turns them into
 * chunks of the trace file in worker threads (encode, compress, write). It also writes what the
 * logs refer to: units before the first log that names them, modules (a separate thread reads their
 * symbols and lines from files) and events.
 *
 * All functions are for the one tracing thread. The first error of any thread stops the writing;
 * ft_drain_finish returns it.
 */
#ifndef FT_TRACE_CAPTURE_TRACER_DRAIN_H
#define FT_TRACE_CAPTURE_TRACER_DRAIN_H

#include <stdbool.h>

#include "formats/codec/log.h"
#include "formats/trace/trace.h"
#include "trace-capture/modules/source_outcome.h"

struct ft_drain;

/* bytes_max: what is submitted after the file has reached this size is left out; 0: no limit. */
int ft_drain_create(const char *path, const struct ft_metadata *metadata, uint64_t bytes_max,
                    struct ft_drain **ret_drain, struct ft_diag *diag);
/* The trace keeps the source files that its lines name (trace-capture/modules/named_sources.h);
 * *outcome, which stays the caller's, says at the end what became of them. */
void ft_drain_keep_sources(struct ft_drain *drain, struct ft_source_outcome *outcome);
/* Whether the file has reached that size. */
bool ft_drain_is_full(struct ft_drain *drain);
/* What logs there are in the trace, and the bytes that they take in its file. */
void ft_drain_written(struct ft_drain *drain, struct ft_log_totals *ret_totals,
                      uint64_t *ret_log_bytes);
/* Why nothing more is written; NULL while all is well. */
const struct ft_diag *ft_drain_failure(const struct ft_drain *drain);

/* Copies `bytes` (at most FT_DRAIN_BLOCK_BYTES) of complete records of a thread; blocks while too
 * much is in flight. The thread was in `state` before the first one. */
#define FT_DRAIN_BLOCK_BYTES (1U << 20)
void ft_drain_submit(struct ft_drain *drain, uint32_t thread, const uint8_t *records, size_t bytes,
                     const struct ft_log_state *state);

/* Advances *state from before such records to after them. Takes as long as encoding them. */
int ft_drain_follow(const struct ft_drain *drain, const uint8_t *records, size_t bytes,
                    struct ft_log_state *state, struct ft_diag *diag);

/* Numbers the unit and keeps a copy, with the ownership of what it points to. */
int ft_drain_add_unit(struct ft_drain *drain, struct ft_unit *unit, struct ft_diag *diag);
/* Units by id, and how many there are; NULL for 0. */
const struct ft_unit *ft_drain_unit(const struct ft_drain *drain, uint32_t id);
uint32_t ft_drain_unit_count(const struct ft_drain *drain);
/* Adds a module; they come in the order of their indices. image: of one without a file, malloc'ed,
 * taken over. */
int ft_drain_add_module(struct ft_drain *drain, const char *path, uint64_t load_bias,
                        uint64_t start, uint64_t end, uint8_t *image, size_t image_bytes,
                        struct ft_diag *diag);
/* Numbers the event and keeps a copy; `text` may be NULL. Returns the number. */
uint64_t ft_drain_add_event(struct ft_drain *drain, const struct ft_event *event);

/* The counts of a capture with --counts, written at the end; *counts becomes empty. */
void ft_drain_set_counts(struct ft_drain *drain, struct ft_execution_counts *counts);

/* Writes the rest and closes the file. metadata's totals and host_cpu_seconds are filled in
 * here. */
int ft_drain_finish(struct ft_drain *drain, struct ft_metadata *metadata, struct ft_diag *diag);
void ft_drain_destroy(struct ft_drain *drain);

#endif
