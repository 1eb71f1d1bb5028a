/*
 * A stream of C's library with functions of ours behind it (fopencookie); what its buffer holds
 * goes through the encoder of a library, piece by piece, to the file. Levels are those that are
 * done in a few seconds for a hundred megabytes.
 */
#include "formats/text/packed_stream.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <lzma.h>
#include <zlib.h>
#include <zstd.h>

#define OUTPUT_BYTES     (256U << 10)
#define GZIP_LEVEL       6
#define GZIP_WINDOW_BITS (15 + 16) /* zlib: the largest window, gzip's header */
#define GZIP_MEMORY      8         /* zlib's default */
#define XZ_LEVEL         2
#define ZSTD_LEVEL       3

struct packer {
    const struct encoder *encoder;
    FILE *file;
    z_stream gzip;
    lzma_stream xz;
    ZSTD_CStream *zstd;
    uint8_t output[OUTPUT_BYTES];
};

/* Encodes all of the input, and where it is_end also what the encoder holds back. */
struct encoder {
    const char *ending;
    bool (*begin)(struct packer *packer);
    bool (*encode)(struct packer *packer, const void *input, size_t bytes, bool is_end);
    void (*end)(struct packer *packer);
};

static bool put(struct packer *packer, size_t bytes)
{
    return fwrite(packer->output, 1, bytes, packer->file) == bytes;
}

static bool gzip_begin(struct packer *packer)
{
    return deflateInit2(&packer->gzip, GZIP_LEVEL, Z_DEFLATED, GZIP_WINDOW_BITS, GZIP_MEMORY,
                        Z_DEFAULT_STRATEGY) == Z_OK;
}

static bool gzip_encode(struct packer *packer, const void *input, size_t bytes, bool is_end)
{
    z_stream *gzip = &packer->gzip;
    gzip->next_in = (z_const Bytef *)input;
    gzip->avail_in = (uInt)bytes;
    do {
        gzip->next_out = packer->output;
        gzip->avail_out = OUTPUT_BYTES;
        if (deflate(gzip, is_end ? Z_FINISH : Z_NO_FLUSH) == Z_STREAM_ERROR ||
            !put(packer, OUTPUT_BYTES - gzip->avail_out))
            return false;
    } while (gzip->avail_out == 0);
    return true;
}

static void gzip_end(struct packer *packer)
{
    deflateEnd(&packer->gzip);
}

static bool xz_begin(struct packer *packer)
{
    return lzma_easy_encoder(&packer->xz, XZ_LEVEL, LZMA_CHECK_CRC64) == LZMA_OK;
}

static bool xz_encode(struct packer *packer, const void *input, size_t bytes, bool is_end)
{
    lzma_stream *xz = &packer->xz;
    lzma_ret result;
    xz->next_in = input;
    xz->avail_in = bytes;
    do {
        xz->next_out = packer->output;
        xz->avail_out = OUTPUT_BYTES;
        result = lzma_code(xz, is_end ? LZMA_FINISH : LZMA_RUN);
        if ((result != LZMA_OK && result != LZMA_STREAM_END) ||
            !put(packer, OUTPUT_BYTES - xz->avail_out))
            return false;
    } while (xz->avail_in > 0 || (is_end && result != LZMA_STREAM_END));
    return true;
}

static void xz_end(struct packer *packer)
{
    lzma_end(&packer->xz);
}

static bool zstd_begin(struct packer *packer)
{
    packer->zstd = ZSTD_createCStream();
    return packer->zstd &&
           !ZSTD_isError(ZSTD_CCtx_setParameter(packer->zstd, ZSTD_c_compressionLevel, ZSTD_LEVEL));
}

static bool zstd_encode(struct packer *packer, const void *input, size_t bytes, bool is_end)
{
    ZSTD_inBuffer from = {input, bytes, 0};
    size_t left;
    do {
        ZSTD_outBuffer to = {packer->output, OUTPUT_BYTES, 0};
        left =
            ZSTD_compressStream2(packer->zstd, &to, &from, is_end ? ZSTD_e_end : ZSTD_e_continue);
        if (ZSTD_isError(left) || !put(packer, to.pos))
            return false;
    } while (from.pos < from.size || (is_end && left > 0));
    return true;
}

static void zstd_end(struct packer *packer)
{
    ZSTD_freeCStream(packer->zstd);
}

static const struct encoder encoders[] = {
    {".gz", gzip_begin, gzip_encode, gzip_end},
    {".xz", xz_begin, xz_encode, xz_end},
    {".zst", zstd_begin, zstd_encode, zstd_end},
};

static const struct encoder *find_encoder(const char *path)
{
    const size_t length = strlen(path);
    for (size_t i = 0; i < sizeof encoders / sizeof *encoders; i++) {
        const size_t ending = strlen(encoders[i].ending);
        if (length > ending && strcmp(path + length - ending, encoders[i].ending) == 0)
            return &encoders[i];
    }
    return NULL;
}

/* ---- the stream ---- */

static ssize_t write_cookie(void *cookie, const char *buffer, size_t bytes)
{
    struct packer *packer = cookie;
    return packer->encoder->encode(packer, buffer, bytes, false) ? (ssize_t)bytes : 0;
}

static int close_cookie(void *cookie)
{
    struct packer *packer = cookie;
    const bool is_done = packer->encoder->encode(packer, NULL, 0, true);
    packer->encoder->end(packer);
    free(packer);
    return is_done ? 0 : EOF;
}

bool ft_packed_name(const char *path)
{
    return find_encoder(path) != NULL;
}

int ft_packed_stream_open(const char *path, FILE *file, FILE **ret_stream, struct ft_diag *diag)
{
    static const cookie_io_functions_t functions = {.write = write_cookie, .close = close_cookie};
    const struct encoder *encoder = find_encoder(path);
    if (!encoder) {
        *ret_stream = file;
        return FT_OK;
    }
    struct packer *packer = calloc(1, sizeof *packer);
    if (!packer)
        return ft_fail_memory(diag, "compressing a file");
    packer->encoder = encoder;
    packer->file = file;
    FILE *stream = encoder->begin(packer) ? fopencookie(packer, "w", functions) : NULL;
    if (!stream) {
        encoder->end(packer);
        free(packer);
        return ft_fail_memory(diag, "compressing a file");
    }
    *ret_stream = stream;
    return FT_OK;
}

int ft_packed_stream_close(FILE *stream, FILE *file, struct ft_diag *diag)
{
    if (stream == file)
        return FT_OK;
    const bool failed = fclose(stream) != 0;
    return failed && !ferror(file)
               ? ft_fail(diag, FT_ERROR_IO, "compressing a file: %s", strerror(errno))
               : FT_OK;
}
