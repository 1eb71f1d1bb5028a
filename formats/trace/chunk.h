/*
 * Chunks as they stand in the file: one zstd frame that decompresses to FT_CHUNK_BYTES: a
 * description of 64 bytes, the payload, zeros. The description comes first, so that a frame found
 * anywhere tells what it is, and inside the frame, so that stock zstd filters can read it.
 *
 * Everything read is checked: the frame's own checksum, the description's bounds, the payload's
 * XXH3. Thread safe.
 */
#ifndef FT_FORMATS_TRACE_CHUNK_H
#define FT_FORMATS_TRACE_CHUNK_H

#include "formats/codec/log.h"

/* The newest format version that is read. Files are written with the oldest that can represent
 * them. */
#define FT_TRACE_VERSION             11
#define FT_TRACE_VERSION_REFERENCES  2  /* units without code */
#define FT_TRACE_VERSION_KERNEL      3  /* escapes of system calls */
#define FT_TRACE_VERSION_PATHS       3  /* units in pieces */
#define FT_TRACE_VERSION_LOOP_PATHS  4  /* loops of several blocks */
#define FT_TRACE_VERSION_SPANS       5  /* spans of the items of loops */
#define FT_TRACE_VERSION_COUNTS      6  /* counts in the place of logs */
#define FT_TRACE_VERSION_GRANULES    7  /* string instructions that make an access per granule */
#define FT_TRACE_VERSION_LINES       8  /* lines of modules behind the modules */
#define FT_TRACE_VERSION_DETAILS     9  /* escapes with details of calls */
#define FT_TRACE_VERSION_SOURCES     10 /* source files */
#define FT_TRACE_VERSION_REPETITIONS 11 /* log chunks that come again */

enum ft_chunk_kind {
    FT_CHUNK_METADATA = 1, /* parameters, command, host: written first */
    FT_CHUNK_MODULE,       /* one module (modules.h) */
    FT_CHUNK_CODE,         /* definitions of units (unit.h) */
    FT_CHUNK_LOG,          /* records of one thread (log.h) */
    FT_CHUNK_EVENTS,       /* entries of the event stream */
    FT_CHUNK_SUMMARY,      /* totals and end reason: written last */
    FT_CHUNK_COUNTS,       /* how often units ran, where no log tells it (counts_table.h) */
    FT_CHUNK_LINES,        /* lines of the modules' executed code (modules.h) */
    FT_CHUNK_SOURCES,      /* source files that the lines name (source_files.h) */
    FT_CHUNK_REPETITION,   /* log chunks of the thread that come again (repeated_chunks.h) */
    FT_CHUNK_KINDS         /* behind the last */
};

struct ft_chunk {
    uint32_t kind;
    uint32_t thread;             /* logs and events; else 0 */
    uint64_t sequence;           /* from 0 for each (kind, thread); logs and repetitions have the
                                    same numbers */
    struct ft_log_totals totals; /* logs */
    const uint8_t *payload;
    size_t payload_bytes; /* at most FT_CHUNK_PAYLOAD_BYTES_MAX */
    unsigned version;     /* the first format version that knows what is in it; 0: 1 */
};

/* A chunk with description, checksum and padding as one zstd frame. Thread safe; frame->data is
 * owned by the caller (ft_bytes_fini). */
int ft_chunk_compress(const struct ft_chunk *chunk, int level, struct ft_bytes *ret_frame,
                      struct ft_diag *diag);

#define FT_CHUNK_DESCRIPTION_BYTES 64

/* A frame has at least a header and 32 blocks of up to 128 KiB, of 4 bytes or more each. */
#define FT_CHUNK_FRAME_BYTES_MIN 128

/* Limit of the instructions and the like that a chunk counts: more than a day of work between two
 * chunks of one thread. It keeps sums from wrapping. */
#define FT_CHUNK_TOTAL_MAX (UINT64_C(1) << 50)

/* The description, which is also the row of /index. */
struct ft_chunk_description {
    uint16_t version;
    uint16_t kind;
    uint32_t thread;
    uint32_t payload_bytes;
    uint64_t sequence;
    uint64_t checksum; /* XXH3-64 of the payload */
    struct ft_log_totals totals;
    uint64_t frame_bytes; /* of the whole frame in the file: in the index only */
};

/* Bytes of the largest frame that a writer makes. */
size_t ft_chunk_frame_bytes_max(void);

/* Length of the frame that starts at data where that is the frame of a chunk, else 0. */
size_t ft_chunk_frame_bytes(const uint8_t *data, size_t length);

/* Reads the description alone, without checking the payload. */
int ft_chunk_peek(const uint8_t *frame, size_t frame_bytes,
                  struct ft_chunk_description *ret_description, struct ft_diag *diag);

/* Decompresses into buffer (FT_CHUNK_BYTES); the payload starts FT_CHUNK_DESCRIPTION_BYTES in. */
int ft_chunk_decompress(const uint8_t *frame, size_t frame_bytes, uint8_t *buffer,
                        struct ft_chunk_description *ret_description, struct ft_diag *diag);

/* What the description at the start of a decompressed chunk says. */
unsigned ft_chunk_version(const uint8_t *chunk);

const char *ft_chunk_kind_name(unsigned kind); /* "log"; "unknown" */

#endif
