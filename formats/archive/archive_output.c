/*
 * libarchive writes both forms, to a file or to the disk, entry by entry. It keeps the system's
 * error, which says what can be done about it.
 */
#include "formats/archive/archive_output.h"

#include <archive.h>
#include <archive_entry.h>
#include <errno.h>
#include <fcntl.h>
#include <nettle/sha2.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "formats/archive/stop.h"
#include "formats/base/file_name.h"
#include "formats/base/hdf5_output.h"
#include "formats/base/remove_tree.h"
#include "formats/base/sha256.h"

#define BUFFER_BYTES ((size_t)1 << 20)
#define TAR_SUFFIX   ".tar.zst"
#define UNFINISHED   ".unfinished" /* in a folder that nobody has named yet */

struct ft_archive_output {
    char *path, *partial;
    char *folder; /* all entries are below it: in the tar file, or on the disk */
    bool is_tar;
    bool is_made; /* the partial file or folder is ours */
    int stop_fd;
    int fd; /* of the tar file; -1 */
    struct archive *writer;
    struct ft_archive_sums sums;
    char *buffer;
};

bool ft_archive_is_tar_name(const char *path)
{
    const size_t length = strlen(path), suffix = strlen(TAR_SUFFIX);
    return length > suffix && strcmp(path + length - suffix, TAR_SUFFIX) == 0 &&
           path[length - suffix - 1] != '/';
}

static void remove_partial(const struct ft_archive_output *output)
{
    if (output->is_tar)
        (void)unlink(output->partial);
    else
        ft_remove_tree(output->partial);
}

void ft_archive_output_destroy(struct ft_archive_output *output)
{
    if (!output)
        return;
    if (output->writer)
        (void)archive_write_free(output->writer);
    if (output->fd >= 0)
        (void)close(output->fd);
    if (output->is_made)
        remove_partial(output);
    ft_archive_sums_fini(&output->sums);
    free(output->buffer);
    free(output->path);
    free(output->partial);
    free(output->folder);
    free(output);
}

/* ---- beginning ---- */

static int check_place(const char *path, struct ft_diag *diag)
{
    struct stat there;
    return lstat(path, &there) != 0
               ? ft_output_check_folder(path, diag)
               : ft_fail(diag, FT_ERROR_USAGE,
                         "%s: is there already; give the archive another name, or remove it", path);
}

/* The folder in a tar file: its own name without folders and suffix. */
static char *folder_in_tar(const char *path)
{
    const char *name = ft_file_name(path);
    return strndup(name, strlen(name) - strlen(TAR_SUFFIX));
}

static int name_files(struct ft_archive_output *output, const char *path, struct ft_diag *diag)
{
    size_t length = strlen(path);
    while (length > 1 && path[length - 1] == '/')
        length--;
    output->path = strndup(path, length);
    if (!output->path || asprintf(&output->partial, "%s.partial", output->path) < 0)
        return ft_fail_memory(diag, path);
    output->folder = output->is_tar ? folder_in_tar(output->path) : strdup(output->partial);
    output->buffer = malloc(BUFFER_BYTES);
    return output->folder && output->buffer ? FT_OK : ft_fail_memory(diag, path);
}

static int fail(const struct ft_archive_output *output, struct ft_diag *diag)
{
    const int error = archive_errno(output->writer);
    return ft_output_fail(output->partial, error > 0 ? error : EIO, diag);
}

static int open_tar(struct ft_archive_output *output, struct ft_diag *diag)
{
    output->fd = open(output->partial, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (output->fd < 0)
        return ft_output_fail(output->partial, errno, diag);
    output->is_made = true;
    output->writer = archive_write_new();
    if (!output->writer)
        return ft_fail_memory(diag, output->path);
    if (archive_write_set_format_pax_restricted(output->writer) != ARCHIVE_OK ||
        archive_write_add_filter_zstd(output->writer) != ARCHIVE_OK ||
        archive_write_set_bytes_per_block(output->writer, 0) != ARCHIVE_OK ||
        archive_write_open_fd(output->writer, output->fd) != ARCHIVE_OK)
        return fail(output, diag);
    return FT_OK;
}

/* Makes the file by which a later attempt knows what a killed one left, or removes it. */
static int mark_unfinished(const struct ft_archive_output *output, bool is_unfinished,
                           struct ft_diag *diag)
{
    char *path = NULL;
    if (asprintf(&path, "%s/" UNFINISHED, output->partial) < 0)
        return ft_fail_memory(diag, output->path);
    const int fd = is_unfinished ? open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0666) : -1;
    const bool is_done = is_unfinished ? fd >= 0 : unlink(path) == 0;
    const int error = errno;
    if (fd >= 0)
        (void)close(fd); /* it is empty */
    free(path);
    return is_done ? FT_OK : ft_output_fail(output->partial, error, diag);
}

/* What a killed attempt left goes; a folder of somebody else's that is called so stays. */
static int clear_partial(const struct ft_archive_output *output, struct ft_diag *diag)
{
    struct stat there;
    char *mark = NULL;
    if (rmdir(output->partial) == 0 || errno == ENOENT)
        return FT_OK;
    if (asprintf(&mark, "%s/" UNFINISHED, output->partial) < 0)
        return ft_fail_memory(diag, output->path);
    const bool is_ours = lstat(mark, &there) == 0;
    free(mark);
    if (!is_ours)
        return ft_fail(diag, FT_ERROR_USAGE,
                       "%s: is there already, where the archive is written until it is complete; "
                       "rename or remove it",
                       output->partial);
    ft_remove_tree(output->partial);
    return FT_OK;
}

static int open_folder(struct ft_archive_output *output, struct ft_diag *diag)
{
    FT_TRY(clear_partial(output, diag));
    if (mkdir(output->partial, 0777) != 0)
        return ft_output_fail(output->partial, errno, diag);
    output->is_made = true;
    FT_TRY(mark_unfinished(output, true, diag));
    output->writer = archive_write_disk_new();
    if (!output->writer)
        return ft_fail_memory(diag, output->path);
    if (archive_write_disk_set_options(output->writer, ARCHIVE_EXTRACT_TIME) != ARCHIVE_OK)
        return fail(output, diag);
    return FT_OK;
}

int ft_archive_output_create(const char *path, int stop_fd, struct ft_archive_output **ret_output,
                             struct ft_diag *diag)
{
    FT_TRY(check_place(path, diag));
    struct ft_archive_output *output = calloc(1, sizeof *output);
    if (!output)
        return ft_fail_memory(diag, path);
    output->fd = -1;
    output->stop_fd = stop_fd;
    output->is_tar = ft_archive_is_tar_name(path);
    int status = name_files(output, path, diag);
    if (status == FT_OK)
        status = output->is_tar ? open_tar(output, diag) : open_folder(output, diag);
    if (status == FT_OK)
        *ret_output = output;
    else
        ft_archive_output_destroy(output);
    return status;
}

/* ---- files ---- */

static int begin_file(struct ft_archive_output *output, const char *name, uint64_t bytes,
                      time_t changed, struct ft_diag *diag)
{
    char *path = NULL;
    struct archive_entry *entry = archive_entry_new();
    if (!entry || asprintf(&path, "%s/%s", output->folder, name) < 0) {
        archive_entry_free(entry);
        return ft_fail_memory(diag, name);
    }
    archive_entry_set_pathname(entry, path);
    archive_entry_set_filetype(entry, AE_IFREG);
    archive_entry_set_perm(entry, 0644);
    archive_entry_set_size(entry, (la_int64_t)bytes);
    archive_entry_set_mtime(entry, changed, 0);
    const int result = archive_write_header(output->writer, entry);
    archive_entry_free(entry);
    free(path);
    /* a name that the locale has no characters for is written as it is, with a warning */
    return result >= ARCHIVE_WARN ? FT_OK : fail(output, diag);
}

static int write_data(struct ft_archive_output *output, const void *data, size_t bytes,
                      struct ft_diag *diag)
{
    const char *at = data;
    while (bytes > 0) {
        const la_ssize_t written = archive_write_data(output->writer, at, bytes);
        if (written <= 0)
            return fail(output, diag);
        at += written;
        bytes -= (size_t)written;
    }
    return FT_OK;
}

static int end_file(struct ft_archive_output *output, struct ft_archive_sum *sum,
                    struct sha256_ctx *hash, struct ft_diag *diag)
{
    if (archive_write_finish_entry(output->writer) != ARCHIVE_OK)
        return fail(output, diag);
    sha256_digest(hash, sizeof sum->sha256, sum->sha256);
    return ft_archive_sums_add(&output->sums, sum, diag);
}

static int copy(struct ft_archive_output *output, int source_fd, const char *source, uint64_t bytes,
                struct sha256_ctx *hash, struct ft_diag *diag)
{
    uint64_t left = bytes;
    while (left > 0) {
        const size_t wanted = left < BUFFER_BYTES ? (size_t)left : BUFFER_BYTES;
        const ssize_t got = read(source_fd, output->buffer, wanted);
        if (got < 0)
            return ft_fail(diag, FT_ERROR_IO, "%s: %s", source, strerror(errno));
        if (got == 0)
            return ft_fail(diag, FT_ERROR_FAILURE, "%s: got shorter while it was archived", source);
        FT_TRY(ft_archive_check_stop(output->stop_fd, diag));
        sha256_update(hash, (size_t)got, (const uint8_t *)output->buffer);
        FT_TRY(write_data(output, output->buffer, (size_t)got, diag));
        left -= (uint64_t)got;
    }
    return FT_OK;
}

int ft_archive_output_file(struct ft_archive_output *output, const char *name, const char *source,
                           struct ft_diag *diag)
{
    struct stat there;
    struct sha256_ctx hash;
    struct ft_archive_sum sum = {.name = (char *)name};
    const int fd = open(source, O_RDONLY | O_CLOEXEC);
    int status = FT_OK;
    if (fd < 0 || fstat(fd, &there) != 0)
        status = ft_fail(diag, FT_ERROR_IO, "%s: %s", source, strerror(errno));
    else if (!S_ISREG(there.st_mode))
        status = ft_fail(diag, FT_ERROR_USAGE, "%s: is no file", source);
    if (status == FT_OK) {
        sum.bytes = (uint64_t)there.st_size;
        sha256_init(&hash);
        status = begin_file(output, name, sum.bytes, there.st_mtim.tv_sec, diag);
    }
    if (status == FT_OK)
        status = copy(output, fd, source, sum.bytes, &hash, diag);
    if (status == FT_OK)
        status = end_file(output, &sum, &hash, diag);
    if (fd >= 0)
        (void)close(fd);
    return status;
}

/* Without a sum: that of SHA256SUMS is in no list. */
static int put_text(struct ft_archive_output *output, const char *name, const char *text,
                    struct ft_diag *diag)
{
    FT_TRY(begin_file(output, name, strlen(text), time(NULL), diag));
    FT_TRY(write_data(output, text, strlen(text), diag));
    return archive_write_finish_entry(output->writer) == ARCHIVE_OK ? FT_OK : fail(output, diag);
}

int ft_archive_output_text(struct ft_archive_output *output, const char *name, const char *text,
                           struct ft_diag *diag)
{
    struct ft_archive_sum sum = {.name = (char *)name, .bytes = strlen(text)};
    FT_TRY(put_text(output, name, text, diag));
    ft_sha256_of_bytes(text, strlen(text), sum.sha256);
    return ft_archive_sums_add(&output->sums, &sum, diag);
}

const struct ft_archive_sums *ft_archive_output_sums(const struct ft_archive_output *output)
{
    return &output->sums;
}

/* ---- the end ---- */

static int put_sums(struct ft_archive_output *output, uint64_t *ret_bytes, struct ft_diag *diag)
{
    char *text = NULL;
    size_t length;
    FILE *stream = open_memstream(&text, &length);
    if (!stream)
        return ft_fail_memory(diag, FT_ARCHIVE_SUMS);
    ft_archive_sums_print(&output->sums, stream);
    int status = fclose(stream) == 0 ? put_text(output, FT_ARCHIVE_SUMS, text, diag)
                                     : ft_fail_memory(diag, FT_ARCHIVE_SUMS);
    free(text);
    *ret_bytes = length;
    for (size_t i = 0; i < output->sums.count; i++)
        *ret_bytes += output->sums.items[i].bytes;
    return status;
}

/* All that was written, so that the name is only given to what survives a crash. */
static int sync_all(const struct ft_archive_output *output, uint64_t *bytes, struct ft_diag *diag)
{
    struct stat there;
    const int fd = output->is_tar ? output->fd : open(output->partial, O_RDONLY | O_CLOEXEC);
    int failed = fd < 0 || (output->is_tar ? fsync(fd) : syncfs(fd)) != 0;
    if (!failed && output->is_tar) {
        failed = fstat(fd, &there) != 0;
        *bytes = failed ? 0 : (uint64_t)there.st_size;
    }
    const int error = errno;
    if (fd >= 0 && !output->is_tar)
        (void)close(fd);
    return failed ? ft_output_fail(output->partial, error, diag) : FT_OK;
}

int ft_archive_output_finish(struct ft_archive_output *output, uint64_t *ret_bytes,
                             struct ft_diag *diag)
{
    uint64_t bytes = 0;
    FT_TRY(put_sums(output, &bytes, diag));
    if (archive_write_close(output->writer) != ARCHIVE_OK)
        return fail(output, diag);
    if (!output->is_tar)
        FT_TRY(mark_unfinished(output, false, diag));
    FT_TRY(sync_all(output, &bytes, diag));
    FT_TRY(ft_archive_check_stop(output->stop_fd, diag));
    if (rename(output->partial, output->path) != 0)
        return ft_output_fail(output->path, errno, diag);
    output->is_made = false;
    ft_output_sync_folder(output->path);
    *ret_bytes = bytes;
    return FT_OK;
}
