/*
 * zstd makes a frame of head and body alone. Its blocks are copied to a new frame, after a header
 * with the size of the whole content; the flag of the last block is cleared, and blocks of one zero
 * and a count (RLE) and the checksum over everything follow. Most chunks are two thirds padding,
 * which would cost zstd up to half as much as the rest.
 *
 * Contexts and buffers are kept for the next frame: allocating them again costs a tenth of the
 * compression.
 */
#include "formats/trace/padded_frame.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include <xxhash.h>
#include <zstd.h>

#include "formats/base/array.h"

#define BLOCK_BYTES_MAX (128U << 10) /* RLE blocks: what they stand for */
#define LAST_BLOCK      1U
#define RLE_BLOCK       (1U << 1)
#define SIZE_SHIFT      3
/* Content size in 4 bytes, no window smaller than the content, checksum. */
#define DESCRIPTOR (2U << 6 | 1U << 5 | 1U << 2)

static const uint8_t magic[4] = {0x28, 0xb5, 0x2f, 0xfd};

struct compressor {
    struct compressor *next;
    ZSTD_CCtx *context;
    struct ft_bytes content; /* without the zeros */
    uint8_t *frame;
    size_t frame_capacity;
};

static pthread_mutex_t idle_lock = PTHREAD_MUTEX_INITIALIZER;
static struct compressor *idle;

static struct compressor *take_compressor(void)
{
    pthread_mutex_lock(&idle_lock);
    struct compressor *compressor = idle;
    if (compressor)
        idle = compressor->next;
    pthread_mutex_unlock(&idle_lock);
    if (compressor)
        return compressor;
    compressor = calloc(1, sizeof *compressor);
    if (compressor && !(compressor->context = ZSTD_createCCtx())) {
        free(compressor);
        return NULL;
    }
    return compressor;
}

static void give_back(struct compressor *compressor)
{
    pthread_mutex_lock(&idle_lock);
    compressor->next = idle;
    idle = compressor;
    pthread_mutex_unlock(&idle_lock);
}

size_t ft_frame_header_bytes(uint8_t descriptor)
{
    static const uint8_t dictionary_bytes[] = {0, 1, 2, 4}, content_bytes[] = {0, 2, 4, 8};
    bool is_single = descriptor >> 5 & 1; /* no window, and at least a byte of content size */
    size_t content = content_bytes[descriptor >> 6];
    if (is_single && content == 0)
        content = 1;
    return 4 + 1 + !is_single + dictionary_bytes[descriptor & 3] + content;
}

size_t ft_padded_frame_bytes_max(size_t content_bytes)
{
    return ZSTD_compressBound(content_bytes) + 4 * (content_bytes / BLOCK_BYTES_MAX + 1) + 64;
}

static uint32_t block_header(const uint8_t *block)
{
    return block[0] | (uint32_t)block[1] << 8 | (uint32_t)block[2] << 16;
}

/* Makes the last of the blocks from `at` on one that others follow; false where the frame, all of
 * `end` bytes, has no last block. */
static bool open_end(uint8_t *frame, size_t at, size_t end)
{
    while (at + 3 <= end) {
        uint32_t header = block_header(frame + at);
        if (header & LAST_BLOCK) {
            frame[at] &= (uint8_t)~LAST_BLOCK;
            return true;
        }
        at += 3 + (header & RLE_BLOCK ? 1 : header >> SIZE_SHIFT);
    }
    return false;
}

static void put_zeros(struct ft_bytes *frame, size_t count)
{
    while (count) {
        uint32_t size = count < BLOCK_BYTES_MAX ? (uint32_t)count : BLOCK_BYTES_MAX;
        count -= size;
        uint32_t header = size << SIZE_SHIFT | RLE_BLOCK | (count ? 0 : LAST_BLOCK);
        ft_put_u16(frame, (uint16_t)header);
        ft_put_u8(frame, (uint8_t)(header >> 16));
        ft_put_u8(frame, 0);
    }
}

/* Of the content with its zeros, as zstd wants it. */
static bool find_checksum(const uint8_t *content, size_t bytes, size_t zero_count,
                          uint32_t *ret_checksum)
{
    static const uint8_t zeros[1 << 16];
    XXH64_state_t *state = XXH64_createState();
    if (!state)
        return false;
    XXH64_reset(state, 0);
    XXH64_update(state, content, bytes);
    for (size_t part; zero_count; zero_count -= part) {
        part = zero_count < sizeof zeros ? zero_count : sizeof zeros;
        XXH64_update(state, zeros, part);
    }
    *ret_checksum = (uint32_t)XXH64_digest(state);
    XXH64_freeState(state);
    return true;
}

/* The content as a frame of zstd's own without a checksum; gives its bytes, 0 on failure. */
static size_t compress(struct compressor *compressor, int level)
{
    ZSTD_CCtx_reset(compressor->context, ZSTD_reset_session_and_parameters);
    if (ZSTD_isError(ZSTD_CCtx_setParameter(compressor->context, ZSTD_c_compressionLevel, level)))
        return 0;
    size_t bytes =
        ZSTD_compress2(compressor->context, compressor->frame, compressor->frame_capacity,
                       compressor->content.data, compressor->content.length);
    return ZSTD_isError(bytes) ? 0 : bytes;
}

static int make_frame(struct compressor *compressor, size_t content_bytes, int level,
                      struct ft_bytes *frame)
{
    const struct ft_bytes *content = &compressor->content;
    size_t zero_count = content_bytes - content->length;
    if (!FT_RESERVE(compressor->frame, compressor->frame_capacity,
                    ZSTD_compressBound(content->length)) ||
        !compressor->frame)
        return FT_ERROR_MEMORY;
    size_t bytes = compress(compressor, level);
    if (bytes == 0)
        return FT_ERROR_FAILURE;
    size_t blocks = ft_frame_header_bytes(compressor->frame[sizeof magic]);
    if (zero_count && !open_end(compressor->frame, blocks, bytes))
        return FT_ERROR_FAILURE;
    uint32_t checksum;
    if (!find_checksum(content->data, content->length, zero_count, &checksum))
        return FT_ERROR_MEMORY;
    ft_put(frame, magic, sizeof magic);
    ft_put_u8(frame, DESCRIPTOR);
    ft_put_u32(frame, (uint32_t)content_bytes);
    ft_put(frame, compressor->frame + blocks, bytes - blocks);
    put_zeros(frame, zero_count);
    ft_put_u32(frame, checksum);
    return frame->failed ? FT_ERROR_MEMORY : FT_OK;
}

int ft_padded_frame(const struct ft_bytes *head, const uint8_t *body, size_t body_bytes,
                    size_t content_bytes, int level, struct ft_bytes *ret_frame,
                    struct ft_diag *diag)
{
    struct compressor *compressor = take_compressor();
    struct ft_bytes frame = {0};
    if (!compressor)
        return ft_fail_memory(diag, "a zstd frame");
    struct ft_bytes *content = &compressor->content;
    content->length = 0;
    content->failed = false;
    ft_put(content, head->data, head->length);
    ft_put(content, body, body_bytes);
    int status =
        content->failed ? FT_ERROR_MEMORY : make_frame(compressor, content_bytes, level, &frame);
    give_back(compressor);
    if (status) {
        ft_bytes_fini(&frame);
        return status == FT_ERROR_MEMORY ? ft_fail_memory(diag, "a zstd frame")
                                         : ft_fail(diag, status, "zstd could not make a frame");
    }
    *ret_frame = frame;
    return FT_OK;
}
