#include "tests/oracle/access_stream.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

_Static_assert(sizeof(struct ft_stream_access) == 24, "records have 24 bytes");
_Static_assert(sizeof(struct ft_stream_code) == 24, "records have 24 bytes");

const char *const ft_stream_kind_names[4] = {"load", "store", "store_nt", "prefetch"};

void ft_stream_print(FILE *out, const struct ft_stream_access *access)
{
    fprintf(out, "0x%" PRIx64 " 0x%" PRIx64 " %" PRIu32 " %s\n", access->pc, access->address,
            access->size_bytes, ft_stream_kind_names[access->kind & 3]);
}

int ft_stream_open(struct ft_stream_reader *ret_reader, const char *path, struct ft_diag *diag)
{
    struct ft_stream_reader reader = {.path = path};

    reader.file = strcmp(path, "-") == 0 ? stdin : fopen(path, "r");
    if (!reader.file)
        return ft_fail(diag, FT_ERROR_IO, "%s: %s", path, strerror(errno));
    int first = getc(reader.file);
    ungetc(first, reader.file);
    if (first == FT_STREAM_MAGIC[0]) { /* a line of text starts with 0x or # */
        char magic[sizeof FT_STREAM_MAGIC - 1];
        reader.is_binary = fread(magic, sizeof magic, 1, reader.file) == 1 &&
                           memcmp(magic, FT_STREAM_MAGIC, sizeof magic) == 0;
        if (!reader.is_binary) {
            ft_stream_close(&reader);
            return ft_fail(diag, FT_ERROR_DATA, "%s: no stream of accesses", path);
        }
    }
    *ret_reader = reader;
    return FT_OK;
}

void ft_stream_close(struct ft_stream_reader *reader)
{
    if (reader->file && reader->file != stdin)
        fclose(reader->file);
    reader->file = NULL;
}

static int read_binary(struct ft_stream_reader *reader, struct ft_stream_access *ret_access)
{
    while (fread(ret_access, sizeof *ret_access, 1, reader->file) == 1) {
        if (ret_access->kind != FT_STREAM_CODE)
            return 1;
        struct ft_stream_code code;
        memcpy(&code, ret_access, sizeof code);
        if (reader->on_code)
            reader->on_code(reader->context, &code);
    }
    return 0;
}

/* One line of text: a number, a number, a number, a word. */
static bool parse_line(char *line, struct ft_stream_access *ret_access)
{
    struct ft_stream_access access = {0};
    char *end;

    access.pc = strtoull(line, &end, 0);
    if (end == line || *end != ' ')
        return false;
    line = end;
    access.address = strtoull(line, &end, 0);
    if (end == line || *end != ' ')
        return false;
    line = end;
    access.size_bytes = (uint32_t)strtoul(line, &end, 0);
    if (end == line || *end != ' ')
        return false;
    line = end + 1;
    size_t word = strcspn(line, " \n");
    for (uint8_t kind = 0; kind < 4; kind++)
        if (strlen(ft_stream_kind_names[kind]) == word &&
            memcmp(line, ft_stream_kind_names[kind], word) == 0) {
            access.kind = kind;
            *ret_access = access;
            return true;
        }
    return false;
}

int ft_stream_read(struct ft_stream_reader *reader, struct ft_stream_access *ret_access,
                   struct ft_diag *diag)
{
    char line[256];

    if (reader->is_binary)
        return read_binary(reader, ret_access);
    while (fgets(line, sizeof line, reader->file)) {
        reader->line++;
        if (line[0] == '#' || line[0] == '\n')
            continue;
        if (parse_line(line, ret_access))
            return 1;
        return ft_fail(diag, FT_ERROR_DATA, "%s: line %" PRIu64 ": no access: %s", reader->path,
                       reader->line, line);
    }
    return 0;
}
