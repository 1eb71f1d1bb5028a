/*
 * The rest of an incomplete line is moved to the front of the buffer, and the next block is read
 * after it; a line that does not fit into the buffer is too long for all formats.
 */
#include "formats/text/line_reader.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define BUFFER_BYTES (16U * FT_LINE_BYTES_MAX)

struct ft_line_reader {
    const char *name; /* for messages */
    int file;
    bool at_end;
    size_t start, end; /* of what is read and not given yet */
    uint64_t number;
    uint64_t read_bytes, total_bytes;
    char buffer[BUFFER_BYTES];
};

int ft_line_reader_open(const char *path, struct ft_line_reader **ret_reader, struct ft_diag *diag)
{
    struct ft_line_reader *reader = calloc(1, sizeof *reader);
    struct stat status;
    if (!reader)
        return ft_fail_memory(diag, "reading lines");
    bool is_stdin = strcmp(path, "-") == 0;
    reader->name = is_stdin ? "standard input" : path;
    reader->file = is_stdin ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
    if (reader->file < 0 || fstat(reader->file, &status) != 0) {
        int failure = ft_fail(diag, FT_ERROR_IO, "%s: %s", reader->name, strerror(errno));
        ft_line_reader_close(reader);
        return failure;
    }
    if (S_ISREG(status.st_mode))
        reader->total_bytes = (uint64_t)status.st_size;
    *ret_reader = reader;
    return FT_OK;
}

void ft_line_reader_close(struct ft_line_reader *reader)
{
    if (!reader)
        return;
    if (reader->file > STDIN_FILENO)
        close(reader->file);
    free(reader);
}

/* Reads a block behind what there is. */
static int fill(struct ft_line_reader *reader, struct ft_diag *diag)
{
    if (reader->start) {
        memmove(reader->buffer, reader->buffer + reader->start, reader->end - reader->start);
        reader->end -= reader->start;
        reader->start = 0;
    }
    ssize_t count;
    do
        count =
            read(reader->file, reader->buffer + reader->end, sizeof reader->buffer - reader->end);
    while (count < 0 && errno == EINTR);
    if (count < 0)
        return ft_fail(diag, FT_ERROR_IO, "%s: %s", reader->name, strerror(errno));
    reader->at_end = count == 0;
    reader->end += (size_t)count;
    reader->read_bytes += (uint64_t)count;
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

uint64_t ft_line_reader_bytes(const struct ft_line_reader *reader)
{
    return reader->read_bytes;
}

uint64_t ft_line_reader_total_bytes(const struct ft_line_reader *reader)
{
    return reader->total_bytes;
}

int ft_line_reader_fail(const struct ft_line_reader *reader, int status, struct ft_diag *diag)
{
    if (!diag)
        return status;
    char message[sizeof diag->message];
    memcpy(message, diag->message, sizeof message);
    return ft_fail(diag, status, "%s:%llu: %.700s", reader->name,
                   (unsigned long long)reader->number, message);
}
