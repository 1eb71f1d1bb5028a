/*
 * oracleGeneral of libCacheSim: records of 24 bytes, little-endian: u32 time in seconds, u64
 * object, u32 bytes of the object, i64 number of the next record of the same object, from 1; -1
 * (and the largest number) where there is none.
 *
 * An object is taken as one block, at its number times the bytes of a block; so that it is one
 * block, it has no more bytes than that. What is written is a record for each block that an access
 * touches. Which record is next is known when it comes: the last ones are kept in memory, where
 * most are completed; in others the number is patched in the file.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "formats/base/array.h"
#include "formats/base/dense_ids.h"
#include "formats/text/text_format.h"

#define RECORD_BYTES   24
#define OBJECT_AT      4
#define SIZE_AT        12
#define NEXT_AT        16
#define NO_NEXT        UINT64_MAX /* -1 */
#define WINDOW_RECORDS (1U << 19) /* 12 MiB; written in halves */

/* ---- reading ---- */

static uint64_t block_bytes_of(const struct ft_text_options *options)
{
    return options->block_bytes ? options->block_bytes : FT_TEXT_BLOCK_BYTES;
}

static int read_record(struct ft_text_state *state, const uint8_t *record,
                       struct ft_text_item *ret_items, unsigned *ret_count, struct ft_diag *diag)
{
    const uint64_t block_bytes = block_bytes_of(&state->options);
    const uint64_t object = ft_text_get_u64(record + OBJECT_AT);
    uint64_t size_bytes = ft_text_get_u32(record + SIZE_AT);
    const int64_t next = (int64_t)ft_text_get_u64(record + NEXT_AT);
    if (next < -1)
        return ft_fail(diag, FT_ERROR_DATA,
                       "the next access is number %" PRId64 ": not a file of oracleGeneral, or "
                       "a damaged one",
                       next);
    *ret_count = 0;
    if (size_bytes == 0) { /* libCacheSim skips it, too */
        state->empty++;
        return FT_OK;
    }
    if (object > UINT64_MAX / block_bytes)
        return ft_fail(diag, FT_ERROR_DATA,
                       "object %" PRIu64 " has no place as a block of %" PRIu64
                       " bytes: import with a smaller --block-size, 1 takes any",
                       object, block_bytes);
    state->larger += size_bytes > block_bytes;
    *ret_items = (struct ft_text_item){
        .address = object * block_bytes,
        .size_bytes = size_bytes > block_bytes ? block_bytes : size_bytes,
        .kind = FT_TEXT_LOAD,
    };
    *ret_count = 1;
    return FT_OK;
}

/* ---- writing ---- */

struct writer {
    FILE *stream;
    uint64_t block_bytes;
    struct ft_dense_ids blocks;
    uint64_t *last; /* [number of a block]: the last record of it, from 0 */
    size_t last_capacity;
    uint64_t written; /* records in the file; those behind are in the window */
    uint64_t count;   /* of all */
    uint8_t window[(size_t)WINDOW_RECORDS * RECORD_BYTES];
};

/* The stream keeps its error. */
static void write_at(const struct writer *writer, const uint8_t *bytes, size_t count,
                     uint64_t position)
{
    (void)fseeko(writer->stream, (off_t)position, SEEK_SET);
    (void)fwrite(bytes, 1, count, writer->stream);
}

/* Writes the first records of the window. */
static void write_records(struct writer *writer, uint64_t records)
{
    const size_t bytes = records * RECORD_BYTES;
    const size_t left = (writer->count - writer->written) * RECORD_BYTES - bytes;
    write_at(writer, writer->window, bytes, writer->written * RECORD_BYTES);
    memmove(writer->window, writer->window + bytes, left);
    writer->written += records;
}

static void set_next(struct writer *writer, uint64_t record, uint64_t next)
{
    uint8_t bytes[8];
    if (record >= writer->written) {
        ft_text_set_u64(writer->window + (record - writer->written) * RECORD_BYTES + NEXT_AT, next);
        return;
    }
    ft_text_set_u64(bytes, next);
    write_at(writer, bytes, sizeof bytes, record * RECORD_BYTES + NEXT_AT);
}

static int add_block(struct writer *writer, uint64_t block, struct ft_diag *diag)
{
    const uint32_t known = writer->blocks.count;
    uint32_t id = 0;
    FT_TRY(ft_dense_ids_find(&writer->blocks, block, &id, diag));
    if (!FT_RESERVE(writer->last, writer->last_capacity, id + 1U))
        return ft_fail_memory(diag, "the blocks of a trace");
    if (writer->count - writer->written == WINDOW_RECORDS)
        write_records(writer, WINDOW_RECORDS / 2);
    if (id < known)
        set_next(writer, writer->last[id], writer->count + 1);
    writer->last[id] = writer->count;
    uint8_t *record = writer->window + (writer->count - writer->written) * RECORD_BYTES;
    ft_text_set_u32(record, 0); /* no time is known */
    ft_text_set_u64(record + OBJECT_AT, block);
    ft_text_set_u32(record + SIZE_AT, (uint32_t)writer->block_bytes);
    ft_text_set_u64(record + NEXT_AT, NO_NEXT);
    writer->count++;
    return FT_OK;
}

static int create(FILE *stream, const struct ft_text_options *options, void **ret_writer,
                  struct ft_diag *diag)
{
    struct writer *writer = calloc(1, sizeof *writer);
    if (!writer)
        return ft_fail_memory(diag, "writing records");
    writer->stream = stream;
    writer->block_bytes = block_bytes_of(options);
    *ret_writer = writer;
    return FT_OK;
}

static int add(void *context, const struct ft_written_item *written, struct ft_diag *diag)
{
    struct writer *writer = context;
    const struct ft_text_item *item = &written->item;
    if (item->kind == FT_TEXT_INSTRUCTION || item->kind == FT_TEXT_PREFETCH)
        return FT_OK;
    const unsigned accesses = item->kind == FT_TEXT_MODIFY ? 2 : 1;
    const uint64_t first = item->address / writer->block_bytes;
    const uint64_t last = (item->address + (item->size_bytes - 1)) / writer->block_bytes;
    for (unsigned access = 0; access < accesses; access++)
        for (uint64_t i = 0; i <= last - first; i++) /* the last block may be the largest number */
            FT_TRY(add_block(writer, first + i, diag));
    return FT_OK;
}

static int finish(void *context, struct ft_diag *diag)
{
    (void)diag;
    struct writer *writer = context;
    write_records(writer, writer->count - writer->written);
    return FT_OK;
}

static void destroy(void *context)
{
    struct writer *writer = context;
    if (!writer)
        return;
    ft_dense_ids_fini(&writer->blocks);
    free(writer->last);
    free(writer);
}

static const struct ft_text_writer writer_functions = {
    .create = create,
    .add = add,
    .finish = finish,
    .destroy = destroy,
    .needs_file = true,
};

const struct ft_text_format ft_text_oracle_general = {
    .name = "oracleGeneral",
    .title = "records of 24 bytes of libCacheSim",
    .lacks = "instructions, loads or stores (all are loads), addresses below a block",
    .read_record = read_record,
    .record_bytes = RECORD_BYTES,
    .writer = &writer_functions,
    .takes_block_bytes = true,
};
