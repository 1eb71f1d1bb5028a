/*
 * The text and records of other tools. The input is u8 format (bit 7: try an import in any case;
 * bit 6: of the newer formats), then the text (csv: without its header line). Each line that is
 * read must be written and read to the same item. What is imported must be readable in each way,
 * and what is exported of it must be imported to the same text and the same counts; that takes
 * longer, so it is done where every line can be read.
 */
#include <string.h>

#include "formats/text/line_reader.h"
#include "formats/text/text_export.h"
#include "formats/text/text_import.h"
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/read_trace.h"

static const char *trace_path(void)
{
    static char path[64];
    snprintf(path, sizeof path, "/dev/shm/foretrace-fuzz-%d", (int)getpid());
    return path;
}

/* Reads what was written of an item. */
static void compare_item(const struct ft_text_format *format, const struct ft_text_state *state,
                         const struct ft_text_item *item)
{
    char text[FT_TEXT_ITEM_BYTES + 1];
    char *end = format->write(item, text);
    FUZZ_EXPECT(end <= text + FT_TEXT_ITEM_BYTES);
    if (end == text || (item->size_bytes == 0 && item->kind != FT_TEXT_INSTRUCTION))
        return;
    FUZZ_EXPECT(end[-1] == '\n' && memchr(text, '\n', (size_t)(end - text)) == end - 1);
    end[-1] = 0;
    bool found;
    struct ft_text_state copy = *state;
    struct ft_text_item again;
    FUZZ_EXPECT(format->read(&copy, text, &found, &again, NULL) == FT_OK && found);
    FUZZ_EXPECT(again.pc == item->pc && again.address == item->address &&
                again.size_bytes == item->size_bytes && again.kind == item->kind);
}

/* Whether each line can be read. */
static bool read_lines(const struct ft_text_format *format, const struct ft_bytes *text)
{
    if (!format->read)
        return true;

    struct ft_line_reader *lines;
    struct ft_text_state state = {0};
    const char *line = "";
    int status = ft_line_reader_open(fuzz_file(text->data, text->length), &lines, NULL);
    FUZZ_EXPECT(status == FT_OK);
    while (status == FT_OK && line) {
        bool found = false;
        struct ft_text_item item;
        status = ft_line_reader_next(lines, &line, NULL);
        state.line = ft_line_reader_number(lines);
        if (status == FT_OK && line)
            status = format->read(&state, line, &found, &item, NULL);
        if (status == FT_OK && found && format->write)
            compare_item(format, &state, &item);
    }
    ft_line_reader_close(lines);
    free(state.command);
    return status == FT_OK;
}

struct imported {
    uint64_t accesses, instructions, prefetches;
};

/* Imports to trace_path. */
static int import_text(const struct ft_text_format *format, const void *text, size_t bytes,
                       struct imported *ret_imported)
{
    struct ft_metadata metadata = {.directory = strdup(""),
                                   .host = strdup(""),
                                   .kernel = strdup(""),
                                   .cpu = strdup(""),
                                   .tool_version = strdup(""),
                                   .started = strdup("")};
    int status = ft_text_import(fuzz_file(text, bytes), format, NULL, trace_path(), &metadata, NULL,
                                NULL, NULL);
    *ret_imported =
        (struct imported){metadata.accesses, metadata.instructions, metadata.prefetches};
    ft_metadata_fini(&metadata);
    return status;
}

/* To a file, as some writers go back in it. */
static void export_text(const struct ft_text_format *format, char **ret_text, size_t *ret_bytes)
{
    static const struct ft_trace_options options = {.allow_incomplete = true, .only_carve = true};
    struct ft_trace *trace;
    const int file = memfd_create("exported", MFD_CLOEXEC);
    FILE *stream = fdopen(file, "w+");
    FUZZ_EXPECT(stream && ft_trace_open(trace_path(), &options, &trace, NULL) == FT_OK);
    FUZZ_EXPECT(ft_text_export(trace, 0, format, NULL, true, stream, NULL) == FT_OK);
    FUZZ_EXPECT(fflush(stream) == 0);
    const off_t bytes = lseek(file, 0, SEEK_END);
    char *text = malloc((size_t)bytes + 1);
    FUZZ_EXPECT(text && pread(file, text, (size_t)bytes, 0) == (ssize_t)bytes);
    fclose(stream);
    ft_trace_close(trace);
    *ret_text = text;
    *ret_bytes = (size_t)bytes;
}

static void compare(const struct ft_text_format *format, const struct imported *first)
{
    struct imported second;
    char *text, *again;
    size_t bytes, again_bytes;
    fuzz_read_trace(trace_path());
    if (!ft_text_format_is_written(format))
        return;
    export_text(format, &text, &bytes);
    FUZZ_EXPECT(import_text(format, text, bytes, &second) == FT_OK);
    FUZZ_EXPECT(first->accesses == second.accesses && first->prefetches == second.prefetches &&
                first->instructions == second.instructions);
    export_text(format, &again, &again_bytes);
    FUZZ_EXPECT(bytes == again_bytes && memcmp(text, again, bytes) == 0);
    free(text);
    free(again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
    const struct ft_text_format *formats[] = {&ft_text_csv, &ft_text_din, &ft_text_lackey};
    const struct ft_text_format *newer[] = {&ft_text_oracle_general, &ft_text_pinatrace,
                                            &ft_text_champsim, &ft_text_drmemtrace};
    struct ft_bytes text = {0};
    struct imported imported;
    if (bytes == 0)
        return 0;
    const struct ft_text_format *format =
        data[0] & 0x40 ? newer[data[0] % 4] : formats[data[0] % 3];
    if (format->header)
        ft_put(&text, format->header, strlen(format->header));
    ft_put(&text, data + 1, bytes - 1);
    bool is_text = read_lines(format, &text);
    if ((is_text || data[0] & 0x80) &&
        import_text(format, text.data, text.length, &imported) == FT_OK)
        compare(format, &imported);
    unlink(trace_path());
    ft_bytes_fini(&text);
    return 0;
}
