#include "formats/base/source_files.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "formats/base/array.h"

void ft_source_files_fini(struct ft_source_files *files)
{
    for (size_t i = 0; i < files->count; i++)
        free(files->items[i].path);
    free(files->items);
    free(files->text);
    *files = (struct ft_source_files){0};
}

bool ft_source_files_fit(const struct ft_source_files *files, size_t bytes)
{
    return bytes > 0 && bytes <= FT_SOURCE_FILE_BYTES_MAX && files->count < FT_SOURCE_FILES_MAX &&
           bytes <= FT_SOURCE_FILES_BYTES_MAX - files->text_bytes;
}

int ft_source_files_add(struct ft_source_files *files, const char *path, const uint8_t *text,
                        size_t bytes, struct ft_diag *diag)
{
    if (!ft_source_files_fit(files, bytes) || !*path ||
        (files->count > 0 && strcmp(files->items[files->count - 1].path, path) >= 0))
        return ft_fail(diag, FT_ERROR_DATA, "source file %zu is too large, or not in its place",
                       files->count);
    char *copy = strdup(path);
    if (!copy || !FT_RESERVE(files->items, files->capacity, files->count + 1) ||
        !FT_RESERVE(files->text, files->text_capacity, files->text_bytes + bytes)) {
        free(copy);
        return ft_fail_memory(diag, "the source files");
    }
    files->items[files->count++] = (struct ft_source_file){copy, bytes, files->text_bytes};
    memcpy(files->text + files->text_bytes, text, bytes);
    files->text_bytes += bytes;
    return FT_OK;
}

int ft_source_files_copy(const struct ft_source_files *from, const bool *chosen,
                         struct ft_source_files *files, struct ft_diag *diag)
{
    for (size_t i = 0; i < from->count; i++) {
        const struct ft_source_file *file = &from->items[i];
        if (chosen[i])
            FT_TRY(ft_source_files_add(files, file->path, ft_source_files_text(from, file),
                                       file->bytes, diag));
    }
    return FT_OK;
}

static int compare_path(const void *path, const void *file)
{
    return strcmp(path, ((const struct ft_source_file *)file)->path);
}

const struct ft_source_file *ft_source_files_find(const struct ft_source_files *files,
                                                  const char *path)
{
    return files->count == 0
               ? NULL
               : bsearch(path, files->items, files->count, sizeof *files->items, compare_path);
}

int ft_source_files_place(struct ft_source_files *files, struct ft_diag *diag)
{
    size_t bytes = 0;
    for (size_t i = 0; i < files->count; i++) {
        struct ft_source_file *file = &files->items[i];
        if (!*file->path || (i > 0 && strcmp(files->items[i - 1].path, file->path) >= 0))
            return ft_fail(diag, FT_ERROR_DATA, "source file %zu is not in its place", i);
        if (file->bytes == 0 || file->bytes > FT_SOURCE_FILE_BYTES_MAX)
            return ft_fail(diag, FT_ERROR_DATA, "source file %zu has %" PRIu64 " bytes", i,
                           file->bytes);
        file->at = bytes;
        bytes += file->bytes; /* of less than FT_SOURCE_FILES_MAX files */
        if (i >= FT_SOURCE_FILES_MAX || bytes > FT_SOURCE_FILES_BYTES_MAX)
            return ft_fail(diag, FT_ERROR_DATA, "the source files are too large");
    }
    return bytes == files->text_bytes
               ? FT_OK
               : ft_fail(diag, FT_ERROR_DATA, "the source files have %zu bytes, expected %zu",
                         files->text_bytes, bytes);
}

void ft_source_files_write(const struct ft_source_files *files, struct ft_bytes *bytes)
{
    for (size_t i = 0; i < files->count; i++) {
        const struct ft_source_file *file = &files->items[i];
        ft_put_string(bytes, file->path);
        ft_put_varint(bytes, file->bytes);
        ft_put(bytes, ft_source_files_text(files, file), file->bytes);
    }
}

int ft_source_files_read(struct ft_cursor *cursor, struct ft_source_files *ret_files,
                         struct ft_diag *diag)
{
    struct ft_source_files files = {0};
    int status = FT_OK;
    while (status == FT_OK && cursor->position < cursor->length) {
        char *path = ft_get_string(cursor);
        const uint64_t bytes = ft_get_varint(cursor);
        const uint8_t *text = cursor->failed ? NULL : ft_get(cursor, bytes);
        status = text ? ft_source_files_add(&files, path, text, bytes, diag)
                      : ft_fail(diag, FT_ERROR_DATA, "source file %zu is cut off", files.count);
        free(path);
    }
    if (status == FT_OK)
        *ret_files = files;
    else
        ft_source_files_fini(&files);
    return status;
}
