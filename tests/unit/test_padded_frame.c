/*
 * Frames with zeros behind them: zstd must read back what went in, at once and in small pieces, and
 * refuse a frame with a wrong checksum; the end that the reader finds must be zstd's.
 */
#include <stdlib.h>
#include <string.h>

#include <zstd.h>

#include "formats/trace/chunk.h"
#include "formats/trace/padded_frame.h"
#include "tests/support/random.h"
#include "tests/support/tap.h"

static uint64_t random_state = 88172645463325252U;

/* Half of it noise, half of it words of a few letters. */
static void fill(uint8_t *data, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++)
        data[i] = (uint8_t)random_below(&random_state, i < bytes / 2 ? 256 : 3);
}

static bool reads_back(const struct ft_bytes *frame, const uint8_t *content, size_t bytes)
{
    uint8_t *out = malloc(bytes);
    size_t read = ZSTD_decompress(out, bytes, frame->data, frame->length);
    bool same = read == bytes && memcmp(out, content, bytes) == 0;
    free(out);
    return same;
}

static bool streams_back(const struct ft_bytes *frame, const uint8_t *content, size_t bytes)
{
    ZSTD_DCtx *context = ZSTD_createDCtx();
    ZSTD_inBuffer in = {frame->data, frame->length, 0};
    size_t at = 0, left = 1;
    bool same = true;
    while (left && same) {
        uint8_t piece[1000];
        ZSTD_outBuffer out = {piece, sizeof piece, 0};
        left = ZSTD_decompressStream(context, &out, &in);
        same = !ZSTD_isError(left) && out.pos <= bytes - at &&
               memcmp(piece, content + at, out.pos) == 0 && (out.pos || in.pos < in.size || !left);
        at += out.pos;
    }
    ZSTD_freeDCtx(context);
    return same && at == bytes && in.pos == in.size;
}

static void test_size(size_t head_bytes, size_t body_bytes, size_t content_bytes, int level)
{
    struct ft_bytes head = {0}, frame = {0};
    struct ft_diag diag;
    uint8_t *content = calloc(1, content_bytes);
    fill(content, head_bytes + body_bytes);
    ft_put(&head, content, head_bytes);
    int status = ft_padded_frame(&head, content + head_bytes, body_bytes, content_bytes, level,
                                 &frame, &diag);
    tap_ok(status == FT_OK && reads_back(&frame, content, content_bytes) &&
               streams_back(&frame, content, content_bytes),
           "%zu + %zu of %zu bytes at level %d come back from %zu", head_bytes, body_bytes,
           content_bytes, level, frame.length);
    bool ends = ZSTD_findFrameCompressedSize(frame.data, frame.length) == frame.length &&
                ZSTD_getFrameContentSize(frame.data, frame.length) == content_bytes &&
                frame.length <= ft_padded_frame_bytes_max(content_bytes);
    if (content_bytes == FT_CHUNK_BYTES)
        ends = ends && ft_chunk_frame_bytes(frame.data, frame.length) == frame.length &&
               ft_chunk_frame_bytes(frame.data, frame.length - 1) == 0;
    tap_ok(ends, "its size and its end are found");
    frame.data[frame.length - 1] ^= 1;
    tap_ok(!reads_back(&frame, content, content_bytes), "a wrong checksum is refused");
    ft_bytes_fini(&head);
    ft_bytes_fini(&frame);
    free(content);
}

int main(void)
{
    const size_t whole = FT_CHUNK_BYTES;
    test_size(64, 0, whole, 1);
    test_size(64, 1, whole, 1);
    test_size(64, 191, whole, 1); /* the size in 1 byte, then in 2, then in 4 */
    test_size(64, 192, whole, 1);
    test_size(64, 65535 + 256 - 64, whole, 1);
    test_size(64, 65536 + 256 - 64, whole, 1);
    test_size(64, (128 << 10) - 64, whole, 1);
    test_size(64, 1500000, whole, 1);
    test_size(64, 1500000, whole, 3);
    test_size(64, 1500000, whole, -5);
    test_size(64, whole - 65, whole, 1);
    test_size(64, whole - 64, whole, 1);
    test_size(0, 1, 1, 1);
    test_size(0, 1, 2, 1);
    return tap_plan_done();
}
