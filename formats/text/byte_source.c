/*
 * A block of the file is read and hashed, then decoded until it is used up. Decoders are those of
 * the libraries; all three formats may be several pieces one behind the other, as `cat` makes them.
 * Their windows are limited: a file cannot ask for any amount of memory.
 */
#include "formats/text/byte_source.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <lzma.h>
#include <nettle/sha2.h>
#include <zlib.h>
#include <zstd.h>

#define BLOCK_BYTES      (256U << 10)
#define XZ_MEMORY_BYTES  (257U << 20) /* a window of 256 MiB and the decoder; xz -9 takes 65 MiB */
#define ZSTD_WINDOW_LOG  27           /* what zstd itself takes without --long */
#define GZIP_WINDOW_BITS (15 + 16)    /* zlib: the largest window, gzip's header */

enum decode_result { DECODE_GOES_ON, DECODE_PIECE_ENDED, DECODE_DAMAGED };

/* What a decoder is given and leaves. */
struct decode_span {
    const uint8_t *input;
    size_t input_bytes;
    uint8_t *output;
    size_t output_bytes;
};

struct codec {
    const char *name;
    uint8_t magic[6];
    size_t magic_bytes;
    bool (*begin)(struct ft_byte_source *source);
    enum decode_result (*decode)(struct ft_byte_source *source, struct decode_span *span,
                                 const char **ret_problem);
    void (*end)(struct ft_byte_source *source);
};

struct ft_byte_source {
    const char *name;
    int file;
    bool at_end;               /* of the file */
    bool has_begun;            /* its first bytes were looked at */
    bool is_between;           /* compressed: no piece is open */
    const struct codec *codec; /* NULL: the bytes are what they are */
    uint64_t read_bytes, total_bytes;
    struct sha256_ctx hash;
    z_stream gzip;
    lzma_stream xz;
    ZSTD_DStream *zstd;
    size_t start, end; /* of what is read and not decoded yet */
    uint8_t block[BLOCK_BYTES];
};

/* ---- decoders ---- */

static bool gzip_begin(struct ft_byte_source *source)
{
    return inflateInit2(&source->gzip, GZIP_WINDOW_BITS) == Z_OK;
}

static enum decode_result gzip_decode(struct ft_byte_source *source, struct decode_span *span,
                                      const char **ret_problem)
{
    z_stream *gzip = &source->gzip;
    if (source->is_between)
        inflateReset(gzip);
    gzip->next_in = (z_const Bytef *)span->input;
    gzip->avail_in = (uInt)span->input_bytes;
    gzip->next_out = span->output;
    gzip->avail_out = (uInt)span->output_bytes;
    const int result = inflate(gzip, Z_NO_FLUSH);
    span->input_bytes = gzip->avail_in;
    span->output_bytes = gzip->avail_out;
    *ret_problem = gzip->msg ? gzip->msg : "invalid data";
    return result == Z_STREAM_END                    ? DECODE_PIECE_ENDED
           : result == Z_OK || result == Z_BUF_ERROR ? DECODE_GOES_ON
                                                     : DECODE_DAMAGED;
}

static void gzip_end(struct ft_byte_source *source)
{
    inflateEnd(&source->gzip);
}

static bool xz_begin(struct ft_byte_source *source)
{
    return lzma_stream_decoder(&source->xz, XZ_MEMORY_BYTES, 0) == LZMA_OK;
}

static enum decode_result xz_decode(struct ft_byte_source *source, struct decode_span *span,
                                    const char **ret_problem)
{
    lzma_stream *xz = &source->xz;
    if (source->is_between && xz->total_in > 0 && !xz_begin(source)) {
        *ret_problem = "out of memory";
        return DECODE_DAMAGED;
    }
    xz->next_in = span->input;
    xz->avail_in = span->input_bytes;
    xz->next_out = span->output;
    xz->avail_out = span->output_bytes;
    const lzma_ret result = lzma_code(xz, LZMA_RUN);
    span->input_bytes = xz->avail_in;
    span->output_bytes = xz->avail_out;
    *ret_problem =
        result == LZMA_MEMLIMIT_ERROR ? "its window is larger than 256 MiB" : "invalid data";
    return result == LZMA_STREAM_END                       ? DECODE_PIECE_ENDED
           : result == LZMA_OK || result == LZMA_BUF_ERROR ? DECODE_GOES_ON
                                                           : DECODE_DAMAGED;
}

static void xz_end(struct ft_byte_source *source)
{
    lzma_end(&source->xz);
}

static bool zstd_begin(struct ft_byte_source *source)
{
    source->zstd = ZSTD_createDStream();
    return source->zstd && !ZSTD_isError(ZSTD_DCtx_setParameter(source->zstd, ZSTD_d_windowLogMax,
                                                                ZSTD_WINDOW_LOG));
}

static enum decode_result zstd_decode(struct ft_byte_source *source, struct decode_span *span,
                                      const char **ret_problem)
{
    ZSTD_inBuffer input = {span->input, span->input_bytes, 0};
    ZSTD_outBuffer output = {span->output, span->output_bytes, 0};
    const size_t result = ZSTD_decompressStream(source->zstd, &output, &input);
    span->input_bytes -= input.pos;
    span->output_bytes -= output.pos;
    if (ZSTD_isError(result)) {
        *ret_problem = ZSTD_getErrorName(result);
        return DECODE_DAMAGED;
    }
    return result == 0 ? DECODE_PIECE_ENDED : DECODE_GOES_ON;
}

static void zstd_end(struct ft_byte_source *source)
{
    ZSTD_freeDStream(source->zstd);
}

static const struct codec codecs[] = {
    {"gzip", {0x1f, 0x8b, 8}, 3, gzip_begin, gzip_decode, gzip_end},
    {"xz", {0xfd, '7', 'z', 'X', 'Z', 0}, 6, xz_begin, xz_decode, xz_end},
    {"zstd", {0x28, 0xb5, 0x2f, 0xfd}, 4, zstd_begin, zstd_decode, zstd_end},
};

/* ---- the file ---- */

int ft_byte_source_open(const char *path, struct ft_byte_source **ret_source, struct ft_diag *diag)
{
    struct ft_byte_source *source = calloc(1, sizeof *source);
    struct stat status;
    if (!source)
        return ft_fail_memory(diag, "reading a file");
    const bool is_stdin = strcmp(path, "-") == 0;
    source->name = is_stdin ? "standard input" : path;
    source->file = is_stdin ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
    source->is_between = true;
    sha256_init(&source->hash);
    if (source->file < 0 || fstat(source->file, &status) != 0) {
        int failure = ft_fail(diag, FT_ERROR_IO, "%s: %s", source->name, strerror(errno));
        ft_byte_source_close(source);
        return failure;
    }
    if (S_ISREG(status.st_mode))
        source->total_bytes = (uint64_t)status.st_size;
    *ret_source = source;
    return FT_OK;
}

void ft_byte_source_close(struct ft_byte_source *source)
{
    if (!source)
        return;
    if (source->codec)
        source->codec->end(source);
    if (source->file > STDIN_FILENO)
        close(source->file);
    free(source);
}

/* Reads behind what is there, of which nothing is in front. */
static int fill(struct ft_byte_source *source, struct ft_diag *diag)
{
    uint8_t *to = source->block + source->end;
    ssize_t count;
    do
        count = read(source->file, to, sizeof source->block - source->end);
    while (count < 0 && errno == EINTR);
    if (count < 0)
        return ft_fail(diag, FT_ERROR_IO, "%s: %s", source->name, strerror(errno));
    source->at_end = count == 0;
    source->end += (size_t)count;
    source->read_bytes += (uint64_t)count;
    sha256_update(&source->hash, (size_t)count, to);
    return FT_OK;
}

/* Reads the beginning of the file, at least as much as tells how it is compressed. */
static int begin(struct ft_byte_source *source, struct ft_diag *diag)
{
    while (!source->at_end && source->end < sizeof codecs->magic)
        FT_TRY(fill(source, diag));
    source->has_begun = true;
    for (size_t i = 0; i < sizeof codecs / sizeof *codecs; i++) {
        const struct codec *codec = &codecs[i];
        if (source->end < codec->magic_bytes ||
            memcmp(source->block, codec->magic, codec->magic_bytes) != 0)
            continue;
        source->codec = codec;
        return codec->begin(source) ? FT_OK : ft_fail_memory(diag, "decompressing a file");
    }
    return FT_OK;
}

static int take_plain(struct ft_byte_source *source, void *buffer, size_t capacity,
                      size_t *ret_bytes)
{
    const size_t available = source->end - source->start;
    const size_t bytes = available < capacity ? available : capacity;
    memcpy(buffer, source->block + source->start, bytes);
    source->start += bytes;
    *ret_bytes = bytes;
    return FT_OK;
}

static int take_decoded(struct ft_byte_source *source, void *buffer, size_t capacity,
                        size_t *ret_bytes, struct ft_diag *diag)
{
    struct decode_span span = {source->block + source->start, source->end - source->start, buffer,
                               capacity};
    const char *problem = NULL;
    enum decode_result result = source->codec->decode(source, &span, &problem);
    source->start = source->end - span.input_bytes;
    *ret_bytes = capacity - span.output_bytes;
    if (result == DECODE_DAMAGED)
        return ft_fail(diag, FT_ERROR_DATA, "%s: near byte %" PRIu64 ": damaged %s data: %s",
                       source->name, source->read_bytes - span.input_bytes, source->codec->name,
                       problem);
    source->is_between = result == DECODE_PIECE_ENDED;
    return FT_OK;
}

int ft_byte_source_read(struct ft_byte_source *source, void *buffer, size_t capacity,
                        size_t *ret_bytes, struct ft_diag *diag)
{
    if (!source->has_begun)
        FT_TRY(begin(source, diag));
    size_t bytes = 0;
    while (bytes == 0) {
        /* A decoder may hold output back, so it is asked once more at the end of the file. */
        if (source->start == source->end && !source->at_end) {
            source->start = source->end = 0;
            FT_TRY(fill(source, diag));
        }
        const bool is_used_up = source->start == source->end && source->at_end;
        if (is_used_up && (!source->codec || source->is_between))
            break;
        if (source->codec)
            FT_TRY(take_decoded(source, buffer, capacity, &bytes, diag));
        else
            FT_TRY(take_plain(source, buffer, capacity, &bytes));
        if (is_used_up && bytes == 0 && !source->is_between)
            return ft_fail(diag, FT_ERROR_DATA,
                           "%s: at byte %" PRIu64 ": the %s data end too early: the file is "
                           "truncated",
                           source->name, source->read_bytes, source->codec->name);
    }
    *ret_bytes = bytes;
    return FT_OK;
}

const char *ft_byte_source_name(const struct ft_byte_source *source)
{
    return source->name;
}

uint64_t ft_byte_source_bytes(const struct ft_byte_source *source)
{
    return source->read_bytes;
}

uint64_t ft_byte_source_total_bytes(const struct ft_byte_source *source)
{
    return source->total_bytes;
}

void ft_byte_source_sha256(struct ft_byte_source *source, char ret_text[FT_SHA256_TEXT])
{
    uint8_t digest[FT_SHA256_BYTES];
    sha256_digest(&source->hash, sizeof digest, digest);
    ft_sha256_text(digest, ret_text);
}
