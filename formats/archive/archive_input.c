#include "formats/archive/archive_input.h"

#include <archive.h>
#include <archive_entry.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "formats/archive/stop.h"
#include "formats/archive/sums.h"

#define BLOCK_BYTES    ((size_t)1 << 18)
#define TEXT_BYTES_MAX ((uint64_t)64 << 20)

struct ft_archive_input {
    char *path;
    bool is_tar;
    int stop_fd;
    size_t folder_length; /* of a folder's path, as entries begin with it */
    struct archive *reader;
    char *name;
};

bool ft_archive_is(const char *path)
{
    static const unsigned char zstd_magic[4] = {0x28, 0xb5, 0x2f, 0xfd};
    unsigned char head[sizeof zstd_magic] = {0};
    struct stat there;
    char *sums = NULL;
    if (stat(path, &there) != 0)
        return false;
    if (S_ISDIR(there.st_mode)) {
        const bool has_sums =
            asprintf(&sums, "%s/" FT_ARCHIVE_SUMS, path) >= 0 && access(sums, F_OK) == 0;
        free(sums);
        return has_sums;
    }
    FILE *file = S_ISREG(there.st_mode) ? fopen(path, "re") : NULL;
    const bool is_zstd = file && fread(head, sizeof head, 1, file) == 1 &&
                         memcmp(head, zstd_magic, sizeof head) == 0;
    if (file)
        (void)fclose(file); /* it was only read */
    return is_zstd;
}

static int fail(const struct ft_archive_input *input, struct ft_diag *diag)
{
    const char *what = archive_error_string(input->reader);
    const int error = archive_errno(input->reader);
    const bool is_systems =
        error == EACCES || error == ENOENT || error == EIO || error == ENOTDIR || error == EPERM;
    return ft_fail(diag, is_systems ? FT_ERROR_IO : FT_ERROR_DATA, "%s: cannot be read: %s",
                   input->path, what ? what : "it is damaged");
}

static int open_reader(struct ft_archive_input *input, struct ft_diag *diag)
{
    struct archive *reader = input->is_tar ? archive_read_new() : archive_read_disk_new();
    int result;
    input->reader = reader;
    if (!reader)
        return ft_fail_memory(diag, input->path);
    if (input->is_tar) {
        result = archive_read_support_filter_zstd(reader);
        if (result == ARCHIVE_OK)
            result = archive_read_support_format_tar(reader);
        if (result == ARCHIVE_OK)
            result = archive_read_open_filename(reader, input->path, BLOCK_BYTES);
    } else {
        result = archive_read_disk_set_symlink_physical(reader);
        if (result == ARCHIVE_OK)
            result = archive_read_disk_set_behavior(reader, ARCHIVE_READDISK_NO_XATTR |
                                                                ARCHIVE_READDISK_NO_ACL |
                                                                ARCHIVE_READDISK_NO_FFLAGS);
        if (result == ARCHIVE_OK)
            result = archive_read_disk_open(reader, input->path);
    }
    return result == ARCHIVE_OK ? FT_OK : fail(input, diag);
}

int ft_archive_input_open(const char *path, int stop_fd, struct ft_archive_input **ret_input,
                          struct ft_diag *diag)
{
    struct stat there;
    if (stat(path, &there) != 0)
        return ft_fail(diag, FT_ERROR_IO, "%s: %s", path, strerror(errno));
    struct ft_archive_input *input = calloc(1, sizeof *input);
    size_t length = strlen(path);
    while (length > 1 && path[length - 1] == '/')
        length--;
    if (!input || !(input->path = strndup(path, length))) {
        free(input);
        return ft_fail_memory(diag, path);
    }
    input->stop_fd = stop_fd;
    input->is_tar = !S_ISDIR(there.st_mode);
    input->folder_length = length;
    const int status = open_reader(input, diag);
    if (status == FT_OK)
        *ret_input = input;
    else
        ft_archive_input_close(input);
    return status;
}

void ft_archive_input_close(struct ft_archive_input *input)
{
    if (!input)
        return;
    if (input->reader)
        (void)archive_read_free(input->reader);
    free(input->path);
    free(input->name);
    free(input);
}

/* Behind the archive's folder; empty: that itself. */
static const char *name_in_archive(const struct ft_archive_input *input, const char *path)
{
    const char *name;
    if (input->is_tar) {
        path += strncmp(path, "./", 2) == 0 ? 2 : 0;
        name = strchr(path, '/');
        name = name ? name + 1 : "";
    } else {
        name = path + input->folder_length;
    }
    return *name == '/' ? name + 1 : name;
}

static int take_entry(struct ft_archive_input *input, struct archive_entry *entry,
                      struct ft_archive_entry *ret_entry, bool *ret_is_taken, struct ft_diag *diag)
{
    const char *path = archive_entry_pathname(entry);
    const bool is_folder = archive_entry_filetype(entry) == AE_IFDIR;
    *ret_is_taken = false;
    if (!input->is_tar && is_folder && archive_read_disk_can_descend(input->reader) &&
        archive_read_disk_descend(input->reader) < ARCHIVE_WARN)
        return fail(input, diag);
    if (is_folder)
        return FT_OK;
    const char *name = path ? name_in_archive(input, path) : "";
    if (!ft_archive_name_is_safe(name))
        return ft_fail(diag, FT_ERROR_DATA, "%s: holds a file with an unsafe name: '%.200s'",
                       input->path, path ? path : "");
    free(input->name);
    input->name = strdup(name);
    if (!input->name)
        return ft_fail_memory(diag, input->path);
    *ret_entry = (struct ft_archive_entry){.name = input->name,
                                           .bytes = (uint64_t)archive_entry_size(entry),
                                           .is_file = archive_entry_filetype(entry) == AE_IFREG &&
                                                      !archive_entry_hardlink(entry)};
    *ret_is_taken = true;
    return FT_OK;
}

int ft_archive_input_next(struct ft_archive_input *input, struct ft_archive_entry *ret_entry,
                          struct ft_diag *diag)
{
    bool is_taken = false;
    while (!is_taken) {
        struct archive_entry *entry;
        FT_TRY(ft_archive_check_stop(input->stop_fd, diag));
        const int result = archive_read_next_header(input->reader, &entry);
        if (result == ARCHIVE_EOF) {
            *ret_entry = (struct ft_archive_entry){.name = NULL};
            return FT_OK;
        }
        if (result < ARCHIVE_WARN)
            return fail(input, diag);
        FT_TRY(take_entry(input, entry, ret_entry, &is_taken, diag));
    }
    return FT_OK;
}

int ft_archive_input_read(struct ft_archive_input *input, void *data, size_t bytes,
                          size_t *ret_bytes, struct ft_diag *diag)
{
    FT_TRY(ft_archive_check_stop(input->stop_fd, diag));
    const la_ssize_t got = archive_read_data(input->reader, data, bytes);
    if (got < 0)
        return fail(input, diag);
    *ret_bytes = (size_t)got;
    return FT_OK;
}

/* ---- one file ---- */

static int read_text(struct ft_archive_input *input, const struct ft_archive_entry *entry,
                     char **ret_text, struct ft_diag *diag)
{
    if (!entry->is_file || entry->bytes > TEXT_BYTES_MAX)
        return ft_fail(diag, FT_ERROR_DATA, "%s: %s is no text", input->path, entry->name);
    char *text = calloc(1, (size_t)entry->bytes + 1);
    size_t used = 0, got = 1;
    int status = text ? FT_OK : ft_fail_memory(diag, input->path);
    while (status == FT_OK && got > 0 && used < entry->bytes) {
        status = ft_archive_input_read(input, text + used, (size_t)entry->bytes - used, &got, diag);
        used += status == FT_OK ? got : 0;
    }
    if (status == FT_OK && (used < entry->bytes || memchr(text, 0, used)))
        status = ft_fail(diag, FT_ERROR_DATA, "%s: %s is no text", input->path, entry->name);
    if (status == FT_OK)
        *ret_text = text;
    else
        free(text);
    return status;
}

int ft_archive_read_text(const char *path, const char *name, int stop_fd, char **ret_text,
                         struct ft_diag *diag)
{
    struct ft_archive_input *input;
    struct ft_archive_entry entry = {.name = ""};
    FT_TRY(ft_archive_input_open(path, stop_fd, &input, diag));
    int status = FT_OK;
    while (status == FT_OK && entry.name && strcmp(entry.name, name) != 0)
        status = ft_archive_input_next(input, &entry, diag);
    if (status == FT_OK)
        status = entry.name ? read_text(input, &entry, ret_text, diag)
                            : ft_fail(diag, FT_ERROR_DATA,
                                      "%s: has no %s: it is no archive of foretrace", path, name);
    ft_archive_input_close(input);
    return status;
}
