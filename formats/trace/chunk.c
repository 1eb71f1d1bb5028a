/*
 * Description, payload and zeros make a frame (padded_frame.h). zstd's own checksum covers all of
 * them; XXH3 over the payload is what the index and the content hash are made of.
 */
#include "formats/trace/chunk.h"

#include <stdlib.h>
#include <string.h>

#include <xxhash.h>
#include <zstd.h>

#include "formats/trace/padded_frame.h"

/* zstd splits the 32 blocks of a chunk into at most 196 parts each (zstd 1.5). */
#define BLOCKS_MAX    8192
#define RLE_BLOCK     1
#define CHECKSUM_FLAG 4

static const uint8_t magic[4] = {'F', 'T', 'C', 'K'};

/* The first format version that knows what is in a log. */
static unsigned log_version(const struct ft_log_totals *totals)
{
    if (totals->has_details)
        return FT_TRACE_VERSION_DETAILS;
    if (totals->has_spans)
        return FT_TRACE_VERSION_SPANS;
    return totals->kernel_calls + totals->library_calls > 0 ? FT_TRACE_VERSION_KERNEL : 1;
}

static struct ft_chunk_description describe(const struct ft_chunk *chunk)
{
    return (struct ft_chunk_description){
        .version = (uint16_t)(chunk->version ? chunk->version : log_version(&chunk->totals)),
        .kind = (uint16_t)chunk->kind,
        .thread = chunk->thread,
        .payload_bytes = (uint32_t)chunk->payload_bytes,
        .sequence = chunk->sequence,
        .checksum = XXH3_64bits(chunk->payload, chunk->payload_bytes),
        .totals = chunk->totals,
    };
}

unsigned ft_chunk_version(const uint8_t *chunk)
{
    struct ft_cursor cursor = {.data = chunk + sizeof magic, .length = sizeof(uint16_t)};
    return ft_get_u16(&cursor);
}

const char *ft_chunk_kind_name(unsigned kind)
{
    static const char *const names[FT_CHUNK_KINDS] = {"unknown", "metadata", "module",    "code",
                                                      "log",     "events",   "summary",   "counts",
                                                      "lines",   "sources",  "repetition"};
    return names[kind < sizeof names / sizeof *names ? kind : 0];
}

size_t ft_chunk_frame_bytes_max(void)
{
    return ft_padded_frame_bytes_max(FT_CHUNK_BYTES);
}

static void put_description(const struct ft_chunk_description *description, struct ft_bytes *bytes)
{
    ft_put(bytes, magic, sizeof magic);
    ft_put_u16(bytes, description->version);
    ft_put_u16(bytes, description->kind);
    ft_put_u32(bytes, description->thread);
    ft_put_u32(bytes, description->payload_bytes);
    ft_put_u64(bytes, description->sequence);
    ft_put_u64(bytes, description->checksum);
    ft_put_u64(bytes, description->totals.records);
    ft_put_u64(bytes, description->totals.instructions);
    ft_put_u64(bytes, description->totals.accesses);
    ft_put_u64(bytes, description->totals.prefetches);
}

static int get_description(const uint8_t *data, struct ft_chunk_description *ret_description,
                           struct ft_diag *diag)
{
    struct ft_cursor cursor = {.data = data, .length = FT_CHUNK_DESCRIPTION_BYTES};
    if (memcmp(ft_get(&cursor, sizeof magic), magic, sizeof magic) != 0)
        return ft_fail(diag, FT_ERROR_DATA, "not a chunk of a trace");
    struct ft_chunk_description description = {0};
    description.version = ft_get_u16(&cursor);
    description.kind = ft_get_u16(&cursor);
    description.thread = ft_get_u32(&cursor);
    description.payload_bytes = ft_get_u32(&cursor);
    description.sequence = ft_get_u64(&cursor);
    description.checksum = ft_get_u64(&cursor);
    description.totals.records = ft_get_u64(&cursor);
    description.totals.instructions = ft_get_u64(&cursor);
    description.totals.accesses = ft_get_u64(&cursor);
    description.totals.prefetches = ft_get_u64(&cursor);
    if (description.version > FT_TRACE_VERSION)
        return ft_fail(diag, FT_ERROR_DATA,
                       "format version %u; this foretrace reads versions up to %u",
                       description.version, FT_TRACE_VERSION);
    if (description.payload_bytes > FT_CHUNK_PAYLOAD_BYTES_MAX)
        return ft_fail(diag, FT_ERROR_DATA, "payload of %u bytes, more than a chunk holds",
                       description.payload_bytes);
    const struct ft_log_totals *totals = &description.totals;
    if (totals->records > FT_CHUNK_TOTAL_MAX || totals->instructions > FT_CHUNK_TOTAL_MAX ||
        totals->accesses > FT_CHUNK_TOTAL_MAX || totals->prefetches > FT_CHUNK_TOTAL_MAX)
        return ft_fail(diag, FT_ERROR_DATA, "it counts more than a chunk can stand for");
    *ret_description = description;
    return FT_OK;
}

int ft_chunk_compress(const struct ft_chunk *chunk, int level, struct ft_bytes *ret_frame,
                      struct ft_diag *diag)
{
    if (chunk->payload_bytes > FT_CHUNK_PAYLOAD_BYTES_MAX)
        return ft_fail(diag, FT_ERROR_FAILURE, "a %s chunk of %zu bytes is too large",
                       ft_chunk_kind_name(chunk->kind), chunk->payload_bytes);
    struct ft_chunk_description description = describe(chunk);
    struct ft_bytes head = {0};
    put_description(&description, &head);
    int status = head.failed ? ft_fail_memory(diag, "a chunk")
                             : ft_padded_frame(&head, chunk->payload, chunk->payload_bytes,
                                               FT_CHUNK_BYTES, level, ret_frame, diag);
    ft_bytes_fini(&head);
    return status;
}

/* zstd would look for the end as well, but for as long as blocks follow each other: bytes made to
 * look like the start of many frames would take it the square of their number. */
size_t ft_chunk_frame_bytes(const uint8_t *data, size_t length)
{
    if (length < 4 || memcmp(data, "\x28\xb5\x2f\xfd", 4) != 0 ||
        ZSTD_getFrameContentSize(data, length) != FT_CHUNK_BYTES)
        return 0;
    if (length > ft_chunk_frame_bytes_max())
        length = ft_chunk_frame_bytes_max();
    size_t at = ft_frame_header_bytes(data[4]);
    for (unsigned block = 0; block < BLOCKS_MAX && length >= 3 && at <= length - 3; block++) {
        uint32_t header = data[at] | (uint32_t)data[at + 1] << 8 | (uint32_t)data[at + 2] << 16;
        at += 3 + ((header >> 1 & 3) == RLE_BLOCK ? 1 : header >> 3);
        if (header & 1) {
            at += data[4] & CHECKSUM_FLAG ? 4 : 0;
            return at <= length ? at : 0;
        }
    }
    return 0;
}

int ft_chunk_peek(const uint8_t *frame, size_t frame_bytes,
                  struct ft_chunk_description *ret_description, struct ft_diag *diag)
{
    uint8_t head[FT_CHUNK_DESCRIPTION_BYTES];
    ZSTD_DCtx *context = ZSTD_createDCtx();
    if (!context)
        return ft_fail_memory(diag, "a chunk");
    ZSTD_inBuffer in = {frame, frame_bytes, 0};
    ZSTD_outBuffer out = {head, sizeof head, 0};
    size_t left = 1;
    while (out.pos < out.size && left && !ZSTD_isError(left)) {
        size_t before = in.pos;
        left = ZSTD_decompressStream(context, &out, &in);
        if (in.pos == before && in.pos == in.size && out.pos < out.size)
            break;
    }
    ZSTD_freeDCtx(context);
    if (out.pos < out.size)
        return ft_fail(diag, FT_ERROR_DATA, "not a chunk of a trace");
    int status = get_description(head, ret_description, diag);
    if (status == FT_OK)
        ret_description->frame_bytes = frame_bytes;
    return status;
}

int ft_chunk_decompress(const uint8_t *frame, size_t frame_bytes, uint8_t *buffer,
                        struct ft_chunk_description *ret_description, struct ft_diag *diag)
{
    if (ZSTD_getFrameContentSize(frame, frame_bytes) != FT_CHUNK_BYTES)
        return ft_fail(diag, FT_ERROR_DATA, "not a chunk of a trace");
    size_t bytes = ZSTD_decompress(buffer, FT_CHUNK_BYTES, frame, frame_bytes);
    if (ZSTD_isError(bytes) || bytes != FT_CHUNK_BYTES)
        return ft_fail(diag, FT_ERROR_DATA, "damaged: zstd says '%s'", ZSTD_getErrorName(bytes));
    struct ft_chunk_description description;
    FT_TRY(get_description(buffer, &description, diag));
    if (XXH3_64bits(buffer + FT_CHUNK_DESCRIPTION_BYTES, description.payload_bytes) !=
        description.checksum)
        return ft_fail(diag, FT_ERROR_DATA, "checksum mismatch");
    *ret_description = description;
    return FT_OK;
}
