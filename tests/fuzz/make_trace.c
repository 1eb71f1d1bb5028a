/*
 * Logs count as much as they like, within reason. A table of counts, which has no thread, stands
 * for as many instructions as the thread's number says, and a repetition for what logs would.
 */
#include "tests/fuzz/make_trace.h"

#include <string.h>

#include <xxhash.h>

#include "formats/trace/chunk.h"
#include "tests/fuzz/fuzz.h"

#define HEAD_BYTES  5
#define CHUNKS_MAX  12
#define COUNT_MAX   (1U << 16)
#define BLOCK_BYTES (1U << 17)
#define RLE_BLOCK   1

static void put_block(struct ft_bytes *file, unsigned kind, size_t content_bytes, bool is_last)
{
    uint32_t header = (uint32_t)(content_bytes << 3 | kind << 1 | is_last);
    ft_put(file, &header, 3);
}

/* A frame as zstd would never make it: the payload as it is, then blocks of zeros. */
static void put_frame(struct ft_bytes *file, const struct ft_bytes *contents)
{
    static const uint8_t head[] = {0x28, 0xb5, 0x2f, 0xfd, 0xa0}; /* one segment, 4 bytes of size */
    size_t left = FT_CHUNK_BYTES - contents->length;
    ft_put(file, head, sizeof head);
    ft_put_u32(file, FT_CHUNK_BYTES);
    put_block(file, 0, contents->length, false);
    ft_put(file, contents->data, contents->length);
    for (; left > BLOCK_BYTES; left -= BLOCK_BYTES) {
        put_block(file, RLE_BLOCK, BLOCK_BYTES, false);
        ft_put_u8(file, 0);
    }
    put_block(file, RLE_BLOCK, left, true);
    ft_put_u8(file, 0);
}

static void put_chunk(struct ft_bytes *file, const uint8_t *head, const uint8_t *payload,
                      size_t bytes)
{
    struct ft_bytes contents = {0};
    ft_put(&contents, "FTCK", 4);
    ft_put_u16(&contents, FT_TRACE_VERSION);
    ft_put_u16(&contents, head[0]);
    ft_put_u32(&contents, head[1]);
    ft_put_u32(&contents, (uint32_t)bytes);
    ft_put_u64(&contents, head[2]);
    ft_put_u64(&contents, XXH3_64bits(payload, bytes));
    for (int i = 0; i < 4; i++)
        ft_put_u64(&contents, head[0] == FT_CHUNK_LOG      ? COUNT_MAX
                              : head[0] == FT_CHUNK_COUNTS ? head[1]
                              : head[0] == FT_CHUNK_REPETITION && bytes == 3
                                  ? (uint64_t)COUNT_MAX * payload[1] * payload[2]
                                  : 0);
    ft_put(&contents, payload, bytes);
    put_frame(file, &contents);
    ft_bytes_fini(&contents);
}

const char *fuzz_make_trace(const uint8_t *data, size_t bytes)
{
    struct ft_bytes file = {0};
    const char *path = NULL;
    for (unsigned i = 0; i < CHUNKS_MAX && bytes >= HEAD_BYTES; i++) {
        size_t length = data[3] | (size_t)data[4] << 8;
        if (length > bytes - HEAD_BYTES)
            length = bytes - HEAD_BYTES;
        put_chunk(&file, data, data + HEAD_BYTES, length);
        data += HEAD_BYTES + length;
        bytes -= HEAD_BYTES + length;
    }
    if (!file.failed && file.length)
        path = fuzz_file(file.data, file.length);
    ft_bytes_fini(&file);
    return path;
}
