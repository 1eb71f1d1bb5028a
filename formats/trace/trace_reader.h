/*
 * Internals of the reader, for the expansion of logs into runs, `verify` and `dump`.
 *
 * Log chunks are numbered per thread in order of execution; where chunks are repeated, they have a
 * number for each time. Reading one is thread safe as long as each thread brings its own buffer.
 */
#ifndef FT_FORMATS_TRACE_TRACE_READER_H
#define FT_FORMATS_TRACE_TRACE_READER_H

#include "formats/codec/log.h"
#include "formats/trace/chunk.h"
#include "formats/trace/trace.h"

struct ft_log_part;

/* The memory for a decompressed log chunk; zero it before its first use. */
struct ft_log_buffer {
    struct ft_bytes frame;
    uint8_t *chunk;
    const void *held; /* the description of the chunk that is in it, or NULL */
};
void ft_log_buffer_fini(struct ft_log_buffer *buffer);

const struct ft_unit_table *ft_trace_units(const struct ft_trace *trace);

/* The chunks of a thread's logs (log_parts.h), and how many they are. */
const struct ft_log_part *ft_trace_log_parts(const struct ft_trace *trace, uint32_t thread,
                                             size_t *ret_count);
size_t ft_trace_log_count(const struct ft_trace *trace, uint32_t thread);
/* What a log chunk holds, by its description. */
const struct ft_chunk_description *ft_trace_log(const struct ft_trace *trace, uint32_t thread,
                                                size_t index);
/* Reads and checks a log chunk; the payload (payload_bytes of its description) lives in buffer. */
int ft_trace_log_read(const struct ft_trace *trace, uint32_t thread, size_t index,
                      struct ft_log_buffer *buffer, const uint8_t **ret_payload,
                      struct ft_diag *diag);
/* Puts "PATH: thread T, log chunk I: " before the message of a failure inside that chunk. */
int ft_trace_log_fail(const struct ft_trace *trace, uint32_t thread, size_t index,
                      struct ft_diag *diag);

/* All chunks in file order. Chunks of a truncated file that are useless because an earlier one is
 * missing have this kind. */
#define FT_CHUNK_DROPPED 0
size_t ft_trace_dropped_count(const struct ft_trace *trace);
/* Whether the trace ends where the program did: by the summary, nothing is missing. */
bool ft_trace_is_whole(const struct ft_trace *trace);
size_t ft_trace_chunk_count(const struct ft_trace *trace);
const struct ft_chunk_description *ft_trace_chunk(const struct ft_trace *trace, size_t index);
/* Decompresses any chunk and checks that it matches its description. */
int ft_trace_chunk_read(const struct ft_trace *trace, size_t index, struct ft_log_buffer *buffer,
                        struct ft_diag *diag);

#endif
