/* Source files that traces and results keep: written, read, found; what is refused; private names.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "formats/base/source_files.h"
#include "formats/trace/private_parts.h"
#include "formats/trace/trace_reader.h"
#include "formats/trace/trace_writer.h"
#include "tests/support/tap.h"
#include "tests/support/temporary_folder.h"

static bool has(const struct ft_source_files *files, const char *path, const char *text)
{
    const struct ft_source_file *file = ft_source_files_find(files, path);
    return file && file->bytes == strlen(text) &&
           memcmp(ft_source_files_text(files, file), text, file->bytes) == 0;
}

static int add(struct ft_source_files *files, const char *path, const char *text)
{
    return ft_source_files_add(files, path, (const uint8_t *)text, strlen(text), NULL);
}

static int read_back(const struct ft_bytes *bytes, size_t length, struct ft_source_files *ret_files)
{
    struct ft_cursor cursor = {.data = bytes->data, .length = length};
    return ft_source_files_read(&cursor, ret_files, NULL);
}

static void check_round_trip(const struct ft_source_files *files)
{
    struct ft_source_files read;
    struct ft_bytes bytes = {0};
    size_t refused = 0;
    ft_source_files_write(files, &bytes);
    if (tap_ok(read_back(&bytes, bytes.length, &read) == FT_OK, "what was written is read")) {
        tap_ok(read.count == 3 && has(&read, "/home/me/a.c", "int a;\n") &&
                   has(&read, "/home/me/b/c.c", "c") && has(&read, "/usr/include/d.h", "dd\n") &&
                   !has(&read, "c.c", "c"),
               "under the same paths");
        tap_ok(ft_source_files_place(&read, NULL) == FT_OK, "and passes the check");
        read.text_bytes--;
        tap_ok(ft_source_files_place(&read, NULL) == FT_ERROR_DATA, "not with a byte less");
        read.items[1].bytes = 0;
        tap_ok(ft_source_files_place(&read, NULL) == FT_ERROR_DATA, "nor with an empty file");
        ft_source_files_fini(&read);
    }
    for (size_t length = 1; length < bytes.length; length++) {
        const bool is_read = read_back(&bytes, length, &read) == FT_OK;
        /* Behind the first and the second file it may end. */
        refused += !is_read;
        if (is_read)
            ft_source_files_fini(&read);
    }
    tap_ok(refused == bytes.length - 3, "what is cut off inside a file is refused");
    ft_bytes_fini(&bytes);
}

static void check_limits(void)
{
    struct ft_source_files files = {0};
    char *large = malloc(FT_SOURCE_FILE_BYTES_MAX + 2);
    char path[16];
    size_t count = 0;
    if (!large)
        exit(1);
    memset(large, 'x', FT_SOURCE_FILE_BYTES_MAX + 1);
    large[FT_SOURCE_FILE_BYTES_MAX + 1] = 0;
    tap_ok(add(&files, "large.c", large) == FT_ERROR_DATA, "no file beyond the limit");
    large[FT_SOURCE_FILE_BYTES_MAX] = 0;
    for (int status = FT_OK; status == FT_OK && count < 100; count += status == FT_OK) {
        snprintf(path, sizeof path, "%02zu.c", count);
        status = add(&files, path, large);
    }
    tap_ok(count == FT_SOURCE_FILES_BYTES_MAX / FT_SOURCE_FILE_BYTES_MAX,
           "nor more than the limit of all: %zu files", count);
    ft_source_files_fini(&files);
    free(large);
}

/* Source files that go on over two chunks; a second time they are refused. */
static void test_sources_in_parts(void)
{
    struct ft_metadata metadata = {.started = "2026-01-01T00:00:00Z", .tool_version = "0.1"};
    const size_t bytes = FT_SOURCE_FILE_BYTES_MAX;
    uint8_t *text = malloc(bytes);
    struct ft_trace_writer *writer = NULL, *again = NULL;
    struct ft_source_files files = {0};
    struct ft_trace *trace;
    struct ft_diag diag = {0};
    char small[6] = "";
    unsigned chunks = 0;
    for (size_t i = 0; text && i < bytes; i++)
        text[i] = (uint8_t)(i * i >> 7 | 1);
    tap_ok(text && ft_source_files_add(&files, "a.c", text, bytes, &diag) == FT_OK &&
               ft_source_files_add(&files, "b.c", text, 5, &diag) == FT_OK,
           "a large file and a small one");
    memcpy(small, text ? text : files.text, 5);
    if (tap_ok(ft_trace_writer_create("sources.h5", &metadata, &writer, &diag) == FT_OK &&
                   ft_trace_writer_sources(writer, &files, &diag) == FT_OK &&
                   ft_trace_writer_finish(writer, &metadata, &diag) == FT_OK &&
                   ft_trace_open("sources.h5", NULL, &trace, &diag) == FT_OK,
               "are written, and open: %s", diag.message)) {
        const struct ft_source_files *read = ft_trace_sources(trace);
        for (size_t i = 0; i < ft_trace_chunk_count(trace); i++)
            chunks += ft_trace_chunk(trace, i)->kind == FT_CHUNK_SOURCES;
        tap_ok(chunks == 2 && read->count == 2 && memcmp(read->text, text, bytes) == 0 &&
                   has(read, "b.c", small) && ft_trace_version(trace) == FT_TRACE_VERSION_SOURCES,
               "over %u chunks", chunks);
        ft_trace_close(trace);
    }
    tap_ok(ft_trace_writer_create("twice.h5", &metadata, &again, &diag) == FT_OK &&
               ft_trace_writer_sources(again, &files, &diag) == FT_OK &&
               ft_trace_writer_sources(again, &files, &diag) == FT_OK &&
               ft_trace_writer_finish(again, &metadata, &diag) == FT_OK &&
               ft_trace_open("twice.h5", NULL, &trace, &diag) == FT_ERROR_DATA &&
               strstr(diag.message, "source files"),
           "twice in a trace they are refused: %s", diag.message);
    ft_trace_writer_destroy(writer);
    ft_trace_writer_destroy(again);
    ft_source_files_fini(&files);
    free(text);
}

int main(void)
{
    struct ft_source_files files = {0}, renamed = {0};
    enter_temporary_folder();
    tap_ok(add(&files, "/home/me/a.c", "int a;\n") == FT_OK &&
               add(&files, "/home/me/b/c.c", "c") == FT_OK &&
               add(&files, "/usr/include/d.h", "dd\n") == FT_OK,
           "three files");
    tap_ok(add(&files, "/usr/include/d.h", "again") == FT_ERROR_DATA &&
               add(&files, "/a.c", "before") == FT_ERROR_DATA &&
               add(&files, "/z.c", "") == FT_ERROR_DATA,
           "none twice, before others, or empty");
    check_round_trip(&files);
    check_limits();
    tap_ok(ft_source_files_copy_private(&files, &renamed, NULL) == FT_OK && renamed.count == 3 &&
               has(&renamed, "a.c", "int a;\n") && has(&renamed, "c.c", "c") &&
               has(&renamed, "/usr/include/d.h", "dd\n") &&
               ft_source_files_place(&renamed, NULL) == FT_OK,
           "private names, in order");
    ft_source_files_fini(&files);
    ft_source_files_fini(&renamed);
    (void)add(&files, "/home/me/a/x.c", "1");
    (void)add(&files, "/home/me/b/x.c", "2");
    (void)add(&files, "/home/me/b/y.c", "3");
    tap_ok(ft_source_files_copy_private(&files, &renamed, NULL) == FT_OK && renamed.count == 1 &&
               has(&renamed, "y.c", "3"),
           "of two files with one private name neither is kept");
    ft_source_files_fini(&files);
    ft_source_files_fini(&renamed);
    test_sources_in_parts();
    return tap_plan_done();
}
