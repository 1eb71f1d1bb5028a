/*
 * The drain: takes the records of full log buffers from the tracing thread and iterations them into
 * chunks of the trace file in threads of its own (encode, compress, write). Also writes what the
 * logs refer to: units before the first log that names them, modules (whose symbols and lines it
 * reads from their files, in a thread apart) and events.
 *
 * All functions are for the one tracing thread. The first error of any thread stops the writing; it
 * is told by ft_drain_finish.
 */
#ifndef FT_TRACE_CAPTURE_TRACER_DRAIN_H
#define FT_TRACE_CAPTURE_TRACER_DRAIN_H

#include <stdbool.h>
#include <sys/resource.h>

#include "formats/codec/log.h"
#include "formats/trace/trace.h"

struct ft_drain;

/* bytes_max: what is submitted once the file has this size is left out; 0: no limit. */
int ft_drain_create(const char *path, const struct ft_metadata *metadata, uint64_t bytes_max,
                    struct ft_drain **ret_drain, struct ft_diag *diag);
/* Whether the file has reached that size. */
bool ft_drain_is_full(struct ft_drain *drain);
/* Why nothing more is written; NULL while all is well. */
const struct ft_diag *ft_drain_failure(const struct ft_drain *drain);

/* Takes a copy of `bytes` (at most FT_DRAIN_BLOCK_BYTES) of whole records of a thread; waits while
 * too much is under way. They stood at `address` in the target; the thread was in `state` before
 * the first of them. */
#define FT_DRAIN_BLOCK_BYTES (1U << 20)
void ft_drain_submit(struct ft_drain *drain, uint32_t thread, const uint8_t *records, size_t bytes,
                     uint64_t address, const struct ft_log_state *state);

/* The state after such records: *state is the one before them. Takes as long as to encode them. */
int ft_drain_follow(const struct ft_drain *drain, const uint8_t *records, size_t bytes,
                    uint64_t address, struct ft_log_state *state, struct ft_diag *diag);

/* Numbers the unit and keeps a copy, with the ownership of what it points to. */
int ft_drain_add_unit(struct ft_drain *drain, struct ft_unit *unit, struct ft_diag *diag);
/* Units by id, and how many there are; NULL for 0. */
const struct ft_unit *ft_drain_unit(const struct ft_drain *drain, uint32_t id);
uint32_t ft_drain_unit_count(const struct ft_drain *drain);
/* A module in the order of its index. image: for one without a file, malloc'ed, now the drain's. */
int ft_drain_add_module(struct ft_drain *drain, const char *path, uint64_t load_bias,
                        uint64_t start, uint64_t end, uint8_t *image, size_t image_bytes,
                        struct ft_diag *diag);
/* Numbers the event and keeps a copy; `text` may be NULL. Returns the number. */
uint64_t ft_drain_add_event(struct ft_drain *drain, const struct ft_event *event);

/* Counts of a capture without log, which is written at the end; *counts becomes empty. */
void ft_drain_set_counts(struct ft_drain *drain, struct ft_execution_counts *counts);

double ft_cpu_seconds(const struct rusage *usage); /* user and system */

/* Writes the rest and closes the file. metadata's totals and host_cpu_seconds are filled in
 * here. */
int ft_drain_finish(struct ft_drain *drain, struct ft_metadata *metadata, struct ft_diag *diag);
void ft_drain_destroy(struct ft_drain *drain);

#endif
