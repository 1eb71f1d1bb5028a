/*
 * The rest of an incomplete line is moved to the front of the buffer, and the next block is read
 * after it; a line that does not fit into the buffer is too long for all formats.
 */
#include "formats/text/line_reader.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define BUFFER_BYTES (16U * FT_LINE_BYTES_MAX)

struct ft_line_reader {
    struct ft_byte_source *source;
    bool at_end;
    size_t start, end; /* of what is read and not given yet */
    uint64_t number;
    char buffer[BUFFER_BYTES];
};

int ft_line_reader_open(const char *path, struct ft_line_reader **ret_reader, struct ft_diag *diag)
{
    struct ft_line_reader *reader = calloc(1, sizeof *reader);
    if (!reader)
        return ft_fail_memory(diag, "reading lines");
    int status = ft_byte_source_open(path, &reader->source, diag);
    if (status) {
        ft_line_reader_close(reader);
        return status;
    }
    *ret_reader = reader;
    return FT_OK;
}

void ft_line_reader_close(struct ft_line_reader *reader)
{
    if (!reader)
        return;
    ft_byte_source_close(reader->source);
    free(reader);
}

/* Reads a block behind what there is. */
static int fill(struct ft_line_reader *reader, struct ft_diag *diag)
{
    size_t count = 0;
    if (reader->start) {
        memmove(reader->buffer, reader->buffer + reader->start, reader->end - reader->start);
        reader->end -= reader->start;
        reader->start = 0;
    }
    FT_TRY(ft_byte_source_read(reader->source, reader->buffer + reader->end,
                               sizeof reader->buffer - reader->end, &count, diag));
    reader->at_end = count == 0;
    reader->end += count;
    return FT_OK;
}

/* Ends the line, which is `length` bytes long without its "\n". */
static int take_line(struct ft_line_reader *reader, char *line, size_t length,
                     const char **ret_line, struct ft_diag *diag)
{
    reader->start += length + 1;
    if (length && line[length - 1] == '\r')
        length--;
    line[length] = 0;
    if (length > FT_LINE_BYTES_MAX)
        ft_fail(diag, FT_ERROR_DATA, "a line of %zu bytes; at most 65536 are allowed", length);
    else if (strlen(line) != length)
        ft_fail(diag, FT_ERROR_DATA, "contains a NUL byte: not a text file");
    else {
        *ret_line = line;
        return FT_OK;
    }
    return ft_line_reader_fail(reader, FT_ERROR_DATA, diag);
}

int ft_line_reader_next(struct ft_line_reader *reader, const char **ret_line, struct ft_diag *diag)
{
    size_t searched = 0;
    for (;;) {
        char *line = reader->buffer + reader->start;
        size_t length = reader->end - reader->start;
        char *end = memchr(line + searched, '\n', length - searched);
        if (end) {
            reader->number++;
            return take_line(reader, line, (size_t)(end - line), ret_line, diag);
        }
        if (reader->at_end && length == 0) {
            *ret_line = NULL;
            return FT_OK;
        }
        if (reader->at_end || length > FT_LINE_BYTES_MAX) {
            reader->number++;
            ft_fail(diag, FT_ERROR_DATA,
                    reader->at_end
                        ? "missing newline at the end: the file is truncated (if not, add one)"
                        : "a line of more than 65536 bytes");
            return ft_line_reader_fail(reader, FT_ERROR_DATA, diag);
        }
        searched = length;
        int status = fill(reader, diag);
        if (status)
            return status;
    }
}

uint64_t ft_line_reader_number(const struct ft_line_reader *reader)
{
    return reader->number;
}

struct ft_byte_source *ft_line_reader_source(const struct ft_line_reader *reader)
{
    return reader->source;
}

int ft_line_reader_fail(const struct ft_line_reader *reader, int status, struct ft_diag *diag)
{
    return ft_fail_at(diag, status, "%s:%" PRIu64, ft_byte_source_name(reader->source),
                      reader->number);
}
