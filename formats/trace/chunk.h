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

#include "formats/trace/trace_writer.h"

#define FT_CHUNK_DESCRIPTION_BYTES 64

/* A frame has at least a header and 32 blocks of up to 128 KiB, of 4 bytes or more each. */
#define FT_CHUNK_FRAME_BYTES_MIN 128

/* What a chunk may count of instructions and the like: a day and more of work between two chunks
 * of one thread. It keeps sums from wrapping. */
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
