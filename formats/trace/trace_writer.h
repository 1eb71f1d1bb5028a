/*
 * Writes a trace file: chunks in any order that puts a definition before its first use, then the
 * index and the attributes. Writes to PATH.partial; finishing syncs and renames to PATH. One
 * thread at a time.
 *
 * Compression is done by the caller's threads (ft_chunk_compress); writing is one HDF5 call.
 */
#ifndef FT_FORMATS_TRACE_TRACE_WRITER_H
#define FT_FORMATS_TRACE_TRACE_WRITER_H

#include "formats/base/source_files.h"
#include "formats/trace/chunk.h"
#include "formats/trace/event.h"
#include "formats/trace/execution_counts.h"
#include "formats/trace/metadata.h"
#include "formats/trace/modules.h"

struct ft_trace_writer;
int ft_trace_writer_create(const char *path, const struct ft_metadata *metadata,
                           struct ft_trace_writer **ret_writer, struct ft_diag *diag);
/* Appends a compressed chunk; `chunk` describes it for the index (its payload is not read). */
int ft_trace_writer_append(struct ft_trace_writer *writer, const struct ft_chunk *chunk,
                           const struct ft_bytes *frame, struct ft_diag *diag);
/* Compresses and appends definitions. */
int ft_trace_writer_units(struct ft_trace_writer *writer, const struct ft_unit *const *units,
                          size_t count, struct ft_diag *diag);
int ft_trace_writer_module(struct ft_trace_writer *writer, const struct ft_module *module,
                           struct ft_diag *diag);
/* Lines of modules, behind these: for each, ascending, its number (ft_put_varint), then
 * ft_module_write_lines. */
int ft_trace_writer_lines(struct ft_trace_writer *writer, const struct ft_bytes *lines,
                          struct ft_diag *diag);
/* Once, behind the modules; none: nothing is written. */
int ft_trace_writer_sources(struct ft_trace_writer *writer, const struct ft_source_files *files,
                            struct ft_diag *diag);
int ft_trace_writer_events(struct ft_trace_writer *writer, const struct ft_event *events,
                           size_t count, struct ft_diag *diag);
/* Counts of all threads, behind the definitions of the units; adds the instructions that they stand
 * for to *instructions. */
int ft_trace_writer_counts(struct ft_trace_writer *writer, const struct ft_execution_counts *counts,
                           const struct ft_unit_table *units, uint64_t *instructions,
                           struct ft_diag *diag);
/* Bytes of the chunks written so far. */
uint64_t ft_trace_writer_bytes(const struct ft_trace_writer *writer);
/* Writes summary, index and attributes, syncs, and renames into place. metadata's totals and
 * end_reason must be set. */
int ft_trace_writer_finish(struct ft_trace_writer *writer, const struct ft_metadata *metadata,
                           struct ft_diag *diag);
/* Closes and frees; an unfinished file stays as PATH.partial. */
void ft_trace_writer_destroy(struct ft_trace_writer *writer);

#endif
