/*
 * Writes a trace file: chunks in any order that puts a definition before its first use, then the
 * index and the attributes. Writes to PATH.partial; finishing syncs and renames to PATH. One
 * thread at a time.
 *
 * Compression is done by the caller's threads (ft_chunk_compress); writing is one HDF5 call.
 */
#ifndef FT_FORMATS_TRACE_TRACE_WRITER_H
#define FT_FORMATS_TRACE_TRACE_WRITER_H

#include "formats/trace/log.h"
#include "formats/trace/trace.h"

enum ft_chunk_kind {
    FT_CHUNK_METADATA = 1, /* parameters, command, host: written first */
    FT_CHUNK_MODULE,       /* one module (modules.h) */
    FT_CHUNK_CODE,         /* definitions of units (unit.h) */
    FT_CHUNK_LOG,          /* records of one thread (log.h) */
    FT_CHUNK_EVENTS,       /* entries of the event stream */
    FT_CHUNK_SUMMARY,      /* totals and end reason: written last */
    FT_CHUNK_COUNTS,       /* how often units ran, where no log tells it (counts_table.h) */
    FT_CHUNK_KINDS         /* behind the last */
};

#define FT_CHUNK_BYTES                                                                             \
    (4U << 20) /* logical size of every chunk, description and padding included */
#define FT_CHUNK_PAYLOAD_BYTES_MAX (FT_CHUNK_BYTES - 64)

struct ft_chunk {
    uint32_t kind;
    uint32_t thread;             /* logs and events; else 0 */
    uint64_t sequence;           /* from 0 for each (kind, thread) */
    struct ft_log_totals totals; /* logs */
    const uint8_t *payload;
    size_t payload_bytes; /* at most FT_CHUNK_PAYLOAD_BYTES_MAX */
    unsigned version;     /* the first format version that knows what is in it; 0: 1 */
};

/* A chunk with description, checksum and padding as one zstd frame. Thread safe; frame->data is
 * owned by the caller (ft_bytes_fini). */
int ft_chunk_compress(const struct ft_chunk *chunk, int level, struct ft_bytes *ret_frame,
                      struct ft_diag *diag);

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
int ft_trace_writer_events(struct ft_trace_writer *writer, const struct ft_event *events,
                           size_t count, struct ft_diag *diag);
/* Counts of all threads, behind the definitions of the units; adds the instructions that they stand
 * for to *instructions. */
int ft_trace_writer_counts(struct ft_trace_writer *writer, const struct ft_execution_counts *counts,
                           const struct ft_unit_table *units, uint64_t *instructions,
                           struct ft_diag *diag);
/* What the chunks so far take in the file. */
uint64_t ft_trace_writer_bytes(const struct ft_trace_writer *writer);
/* Writes summary, index and attributes, syncs, and renames into place. metadata's totals and
 * end_reason must be set. */
int ft_trace_writer_finish(struct ft_trace_writer *writer, const struct ft_metadata *metadata,
                           struct ft_diag *diag);
/* Closes and frees; an unfinished file stays as PATH.partial. */
void ft_trace_writer_destroy(struct ft_trace_writer *writer);

#endif
