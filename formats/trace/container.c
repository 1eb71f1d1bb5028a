/*
 * HDF5 gives the frames of a complete file, after a child process has looked up all of them
 * (hdf5_input.h). It refuses a file that is a byte short, and one that was never closed: there the
 * frames are looked for in the raw bytes (carved_frames.h).
 */
#include "formats/trace/container.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "formats/base/array.h"
#include "formats/base/hdf5_input.h"
#include "formats/trace/container_file.h"

#define CAUSE_BYTES 100

/* HDF5 tells the system's error inside a longer text: "..., error message = 'File too large', ..."
 */
static herr_t note_cause(unsigned n, const H5E_error2_t *error, void *cause)
{
    (void)n;
    const char *start = error->desc ? strstr(error->desc, "error message = '") : NULL;
    if (start)
        snprintf(cause, CAUSE_BYTES, "%.*s", (int)strcspn(start + 17, "'"), start + 17);
    return 0;
}

/* What the system said when HDF5 failed, as far as HDF5 tells it. */
static int fail_hdf5(const struct ft_container *container, int status, const char *what,
                     struct ft_diag *diag)
{
    char cause[CAUSE_BYTES] = "";
    H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, note_cause, cause);
    if (cause[0])
        return ft_fail(diag, FT_ERROR_IO, "%s: %s: %s", container->path, what, cause);
    return ft_fail(diag, status, "%s: %s", container->path, what);
}

/* Of a file that is read. */
static void close_file(struct ft_container *container)
{
    ft_container_close_chunks(container);
    if (container->file >= 0)
        H5Fclose(container->file);
    container->file = -1;
}

void ft_container_close(struct ft_container *container)
{
    if (!container)
        return;
    ft_hdf5_lock();
    if (container->output) {
        ft_container_quiet();
        ft_container_close_chunks(container);
        ft_hdf5_output_destroy(container->output, true);
    } else if (container->file >= 0) {
        close_file(container);
    }
    ft_hdf5_unlock();
    ft_container_free(container);
}

static bool get_number(hid_t file, const char *name, uint64_t *ret_number)
{
    hid_t attribute = H5Aopen(file, name, H5P_DEFAULT);
    bool found = attribute >= 0 && H5Aread(attribute, H5T_NATIVE_UINT64, ret_number) >= 0;
    if (attribute >= 0)
        H5Aclose(attribute);
    return found;
}

/* Reads a text attribute into a buffer; "" where there is none. */
static void get_text(hid_t file, const char *name, char *text, size_t bytes)
{
    memset(text, 0, bytes);
    hid_t attribute = H5Aopen(file, name, H5P_DEFAULT);
    if (attribute < 0)
        return;
    hid_t stored = H5Aget_type(attribute);
    hid_t type = H5Tcopy(H5T_C_S1);
    H5Tset_size(type, bytes);
    H5Tset_cset(type, H5Tget_class(stored) == H5T_STRING ? H5Tget_cset(stored) : H5T_CSET_ASCII);
    if (H5Tget_class(stored) != H5T_STRING || H5Tis_variable_str(stored) ||
        H5Aread(attribute, type, text) < 0)
        text[0] = 0;
    text[bytes - 1] = 0;
    H5Tclose(type);
    H5Tclose(stored);
    H5Aclose(attribute);
}

/* What kind of file it is, before anything in it is believed. */
static int check_format(const struct ft_container *container, struct ft_diag *diag)
{
    char format[64];
    uint64_t version = 0;
    get_text(container->file, "format", format, sizeof format);
    if (strcmp(format, FT_TRACE_FORMAT_NAME) != 0)
        return ft_fail(diag, FT_ERROR_DATA, "%s: an HDF5 file, but not a trace%s%s%s",
                       container->path, format[0] ? " (it says '" : "", format,
                       format[0] ? "')" : "");
    if (!get_number(container->file, "version", &version) || version == 0)
        return ft_fail(diag, FT_ERROR_DATA, "%s: no format version", container->path);
    if (version > FT_TRACE_VERSION)
        return ft_fail(diag, FT_ERROR_DATA,
                       "%s: format version %llu, written by a newer foretrace; this one reads "
                       "versions up to %u",
                       container->path, (unsigned long long)version, FT_TRACE_VERSION);
    return FT_OK;
}

static int read_index(struct ft_container *container, struct ft_diag *diag)
{
    struct ft_diag cause;
    void *rows;
    size_t count;
    if (ft_records_read(container->file, "index", &ft_container_row_type, &rows, &count, &cause))
        return ft_fail(diag, FT_ERROR_DATA, "%s: %.900s", container->path, cause.message);
    container->index = rows;
    if (count != container->count)
        return ft_fail(diag, FT_ERROR_DATA, "%s: the index lists a different number of chunks",
                       container->path);
    return FT_OK;
}

/* /chunks must be what a writer makes, or reading frames one by one would be invalid. */
static int check_chunks(struct ft_container *container, struct ft_diag *diag)
{
    container->chunks = H5Dopen2(container->file, "chunks", H5P_DEFAULT);
    if (container->chunks < 0)
        return fail_hdf5(container, FT_ERROR_DATA, "no chunks", diag);
    hid_t creation = H5Dget_create_plist(container->chunks);
    hid_t space = H5Dget_space(container->chunks);
    hsize_t size = 0, extent = 0;
    bool right = H5Pget_layout(creation) == H5D_CHUNKED && H5Sget_simple_extent_ndims(space) == 1 &&
                 H5Pget_chunk(creation, 1, &size) == 1 && size == FT_CHUNK_BYTES &&
                 H5Sget_simple_extent_dims(space, &extent, NULL) == 1 &&
                 extent % FT_CHUNK_BYTES == 0 &&
                 extent / FT_CHUNK_BYTES <= container->file_bytes / FT_CHUNK_FRAME_BYTES_MIN;
    H5Sclose(space);
    H5Pclose(creation);
    if (!right)
        return ft_fail(diag, FT_ERROR_DATA, "%s: its chunks are not those of a trace",
                       container->path);
    container->count = extent / FT_CHUNK_BYTES;
    return FT_OK;
}

static int open_hdf5(struct ft_container *container, struct ft_diag *diag)
{
    container->file = ft_hdf5_input_open(container->path);
    if (container->file < 0)
        return ft_fail(diag, FT_ERROR_DATA, "%s: HDF5 cannot open it: damaged or cut off",
                       container->path);
    uint64_t complete = 0;
    int status = check_format(container, diag);
    if (status == FT_OK && (!get_number(container->file, "complete", &complete) || !complete))
        status = ft_fail(diag, FT_ERROR_DATA, "%s: its capture was cut off", container->path);
    if (status == FT_OK)
        status = check_chunks(container, diag);
    if (status == FT_OK)
        status = read_index(container, diag);
    get_text(container->file, "content_hash", container->noted_hash, sizeof container->noted_hash);
    container->complete = status == FT_OK;
    return status;
}

/* All that is asked of HDF5 until the file is closed, but for the frames' bytes. */
static void attempt(void *context)
{
    struct ft_container *container = context;
    if (open_hdf5(container, NULL) != FT_OK)
        return;
    for (uint64_t i = 0; i < container->count; i++) {
        hsize_t offset = i * FT_CHUNK_BYTES, bytes;
        if (H5Dget_chunk_storage_size(container->chunks, &offset, &bytes) < 0)
            return;
    }
}

static int try_hdf5(struct ft_container *container, struct ft_diag *diag)
{
    ft_hdf5_lock();
    int status = ft_hdf5_input_try_once(container->path, attempt, container, diag);
    if (status == FT_OK)
        status = open_hdf5(container, diag);
    if (status)
        close_file(container);
    ft_hdf5_unlock();
    return status;
}

static int check_file(struct ft_container *container, bool *ret_is_hdf5, struct ft_diag *diag)
{
    struct stat file;
    char start[8] = "";
    if (fstat(container->carved.descriptor, &file) != 0)
        return ft_fail(diag, FT_ERROR_IO, "%s: %s", container->path, strerror(errno));
    if (!S_ISREG(file.st_mode))
        return ft_fail(diag, FT_ERROR_DATA, "%s: not a file", container->path);
    container->file_bytes = (uint64_t)file.st_size;
    *ret_is_hdf5 = pread(container->carved.descriptor, start, sizeof start, 0) == sizeof start &&
                   memcmp(start, "\x89HDF\r\n\x1a\n", sizeof start) == 0;
    return FT_OK;
}

static int open_container(struct ft_container *container, bool allow_incomplete, bool only_carve,
                          struct ft_diag *diag)
{
    bool is_hdf5 = false;
    container->carved.path = container->path;
    container->carved.descriptor = open(container->path, O_RDONLY | O_CLOEXEC);
    if (container->carved.descriptor < 0)
        return ft_fail(diag, FT_ERROR_IO, "%s: %s", container->path, strerror(errno));
    int status = check_file(container, &is_hdf5, diag);
    if (status)
        return status;
    if (!is_hdf5)
        status = ft_fail(diag, FT_ERROR_DATA, "%s: not a trace (no HDF5 file)", container->path);
    else if (only_carve)
        status = ft_fail(diag, FT_ERROR_DATA, "%s: holds no chunk of a trace", container->path);
    else
        status = try_hdf5(container, diag);
    if (status == FT_ERROR_DATA && allow_incomplete) {
        int carved = ft_carved_frames_find(&container->carved, container->file_bytes, diag);
        container->count = container->carved.count;
        return carved || container->count ? carved : status;
    }
    ft_carved_frames_fini(&container->carved);
    return status;
}

int ft_container_open(const char *path, bool allow_incomplete, bool only_carve,
                      struct ft_container **ret_container, struct ft_diag *diag)
{
    struct ft_container *container = ft_container_new(path);
    if (!container)
        return ft_fail_memory(diag, path);
    int status = open_container(container, allow_incomplete, only_carve, diag);
    if (status) {
        ft_container_close(container);
        return status;
    }
    *ret_container = container;
    return FT_OK;
}

bool ft_container_is_complete(const struct ft_container *container)
{
    return container->complete;
}

uint64_t ft_container_chunk_count(const struct ft_container *container)
{
    return container->count;
}

uint64_t ft_container_file_bytes(const struct ft_container *container)
{
    return container->file_bytes;
}

const struct ft_chunk_description *ft_container_index(const struct ft_container *container)
{
    return container->index;
}

const char *ft_container_noted_hash(const struct ft_container *container)
{
    return container->noted_hash;
}

static int read_hdf5(struct ft_container *container, uint64_t index, struct ft_bytes *frame,
                     struct ft_diag *diag)
{
    hsize_t offset = index * FT_CHUNK_BYTES, bytes = 0;
    uint32_t mask = 0;
    ft_container_quiet();
    if (H5Dget_chunk_storage_size(container->chunks, &offset, &bytes) < 0)
        return fail_hdf5(container, FT_ERROR_DATA, "a chunk cannot be found", diag);
    if (bytes == 0 || bytes > ft_chunk_frame_bytes_max())
        return ft_fail(diag, FT_ERROR_DATA, "%s: chunk %llu: %llu bytes long", container->path,
                       (unsigned long long)index, (unsigned long long)bytes);
    if (!FT_RESERVE(frame->data, frame->capacity, bytes))
        return ft_fail_memory(diag, "a chunk");
    if (H5Dread_chunk(container->chunks, H5P_DEFAULT, &offset, &mask, frame->data) < 0 || mask)
        return fail_hdf5(container, FT_ERROR_DATA, "a chunk cannot be read", diag);
    frame->length = bytes;
    return FT_OK;
}

int ft_container_read(struct ft_container *container, uint64_t index, struct ft_bytes *frame,
                      struct ft_diag *diag)
{
    if (index >= container->count)
        return ft_fail(diag, FT_ERROR_DATA, "%s: no chunk %llu", container->path,
                       (unsigned long long)index);
    if (!container->complete)
        return ft_carved_frames_read(&container->carved, index, frame, diag);
    ft_hdf5_lock();
    int status = read_hdf5(container, index, frame, diag);
    ft_hdf5_unlock();
    return status;
}
