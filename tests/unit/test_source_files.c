/* Source files that traces and results keep: written, read, found; what is refused; private names.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "formats/base/source_files.h"
#include "formats/trace/private_parts.h"
#include "tests/support/tap.h"

static bool has(const struct ft_source_files *files, const char *path, const char *text)
{
    size_t bytes;
    const uint8_t *found = ft_source_files_find(files, path, &bytes);
    return found && bytes == strlen(text) && memcmp(found, text, bytes) == 0;
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
        tap_ok(ft_source_files_check(&read, NULL) == FT_OK, "and passes the check");
        read.text_bytes--;
        tap_ok(ft_source_files_check(&read, NULL) == FT_ERROR_DATA, "not with a byte less");
        read.items[1].bytes = 0;
        tap_ok(ft_source_files_check(&read, NULL) == FT_ERROR_DATA, "nor with an empty file");
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

int main(void)
{
    struct ft_source_files files = {0};
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
    tap_ok(ft_source_files_make_private(&files, NULL) == FT_OK && files.count == 3 &&
               has(&files, "a.c", "int a;\n") && has(&files, "c.c", "c") &&
               has(&files, "/usr/include/d.h", "dd\n") &&
               ft_source_files_check(&files, NULL) == FT_OK,
           "private names, in order");
    ft_source_files_fini(&files);
    (void)add(&files, "/home/me/a/x.c", "1");
    (void)add(&files, "/home/me/b/x.c", "2");
    (void)add(&files, "/home/me/b/y.c", "3");
    tap_ok(ft_source_files_make_private(&files, NULL) == FT_OK && files.count == 1 &&
               has(&files, "y.c", "3"),
           "of two files with one private name neither is kept");
    ft_source_files_fini(&files);
    return tap_plan_done();
}
