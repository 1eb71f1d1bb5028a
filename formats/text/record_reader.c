#include "formats/text/record_reader.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define BUFFER_BYTES (1U << 20)

struct ft_record_reader {
    struct ft_byte_source *source;
    size_t record_bytes;
    size_t start, end; /* of what is read and not given yet */
    uint64_t number;   /* of the record that was read last, from 1 */
    uint8_t buffer[BUFFER_BYTES];
};

int ft_record_reader_open(const char *path, size_t record_bytes,
                          struct ft_record_reader **ret_reader, struct ft_diag *diag)
{
    struct ft_record_reader *reader = calloc(1, sizeof *reader);
    if (!reader)
        return ft_fail_memory(diag, "reading records");
    reader->record_bytes = record_bytes;
    int status = ft_byte_source_open(path, &reader->source, diag);
    if (status) {
        ft_record_reader_close(reader);
        return status;
    }
    *ret_reader = reader;
    return FT_OK;
}

void ft_record_reader_close(struct ft_record_reader *reader)
{
    if (!reader)
        return;
    ft_byte_source_close(reader->source);
    free(reader);
}

int ft_record_reader_next(struct ft_record_reader *reader, const uint8_t **ret_record,
                          struct ft_diag *diag)
{
    while (reader->end - reader->start < reader->record_bytes) {
        size_t count = 0;
        const size_t left = reader->end - reader->start;
        memmove(reader->buffer, reader->buffer + reader->start, left);
        reader->start = 0;
        reader->end = left;
        FT_TRY(ft_byte_source_read(reader->source, reader->buffer + left,
                                   sizeof reader->buffer - left, &count, diag));
        reader->end += count;
        if (count > 0)
            continue;
        if (left == 0) {
            *ret_record = NULL;
            return FT_OK;
        }
        return ft_fail(diag, FT_ERROR_DATA,
                       "%s: at byte %" PRIu64
                       ": the last %zu bytes are no record of %zu bytes: the "
                       "file is truncated, or of another format",
                       ft_byte_source_name(reader->source), reader->number * reader->record_bytes,
                       left, reader->record_bytes);
    }
    *ret_record = reader->buffer + reader->start;
    reader->start += reader->record_bytes;
    reader->number++;
    return FT_OK;
}

struct ft_byte_source *ft_record_reader_source(const struct ft_record_reader *reader)
{
    return reader->source;
}

int ft_record_reader_fail(const struct ft_record_reader *reader, int status, struct ft_diag *diag)
{
    return ft_fail_at(diag, status, "%s: at byte %" PRIu64, ft_byte_source_name(reader->source),
                      (reader->number - 1) * reader->record_bytes);
}
