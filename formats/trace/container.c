/*
 * Writing: all objects are made first, frames go in with H5Dwrite_chunk (HDF5 neither compresses
 * nor caches them), index and attributes follow at the end; the attribute "complete" comes last.
 *
 * Reading: HDF5 gives the frames of a complete file, after a child process has looked up all of
 * them (hdf5_input.h). It refuses a file that is a byte short, and one that was never closed, so
 * there the frames are looked for in the raw bytes: zstd's magic number, the content size of a
 * chunk, a whole frame, our description in it. These are read, never mapped: a file that becomes
 * shorter meanwhile is an error then, not a signal.
 */
#include "formats/trace/container.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <hdf5.h>

#include "formats/base/array.h"
#include "formats/base/hdf5_input.h"
#include "formats/base/hdf5_output.h"
#include "formats/base/records.h"
#include "formats/trace/zstd_filter.h"

#define FORMAT_NAME   "foretrace trace"
#define WINDOW_BYTES  ((size_t)16 << 20) /* of a cut-off file, in memory at a time */
#define CAUSE_BYTES   100
#define ATTRIBUTE_MAX 32768U /* texts are cut there; the chunks have them whole */

struct ft_container {
    char *path;
    struct ft_hdf5_output *output; /* while it is written; else NULL */
    hid_t file, chunks;            /* -1 where not open */
    uint64_t count;
    uint64_t file_bytes;
    bool complete;
    char noted_hash[20];
    struct ft_chunk_description *index;
    /* Cut-off files: */
    int descriptor; /* -1 in others */
    struct frame {
        uint64_t offset, bytes;
    } * frames;
    size_t frame_capacity;
};

#define TOTAL(name)                                                                                \
    {                                                                                              \
#name, offsetof(struct ft_chunk_description, totals.name), FT_FIELD_U64, 0                 \
    }
static const struct ft_field row_fields[] = {
    FT_FIELD(ft_chunk_description, kind, FT_FIELD_U16),
    FT_FIELD(ft_chunk_description, thread, FT_FIELD_U32),
    FT_FIELD(ft_chunk_description, sequence, FT_FIELD_U64),
    FT_FIELD(ft_chunk_description, payload_bytes, FT_FIELD_U32),
    FT_FIELD(ft_chunk_description, frame_bytes, FT_FIELD_U64),
    FT_FIELD(ft_chunk_description, checksum, FT_FIELD_U64),
    TOTAL(records),
    TOTAL(instructions),
    TOTAL(accesses),
    TOTAL(prefetches),
};
static const struct ft_record_type row_type = FT_RECORD_TYPE(ft_chunk_description, row_fields);

static const hsize_t chunk_bytes = FT_CHUNK_BYTES;

/* Errors are told through ft_diag, never printed by HDF5. */
static void quiet(void)
{
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
}

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

static struct ft_container *container_new(const char *path)
{
    struct ft_container *container = calloc(1, sizeof *container);
    if (!container)
        return NULL;
    container->file = container->chunks = -1;
    container->descriptor = -1;
    container->path = strdup(path);
    if (!container->path) {
        ft_container_close(container);
        return NULL;
    }
    return container;
}

static void close_chunks(struct ft_container *container)
{
    if (container->chunks >= 0)
        H5Dclose(container->chunks);
    container->chunks = -1;
}

/* Of a file that is read. */
static void close_file(struct ft_container *container)
{
    close_chunks(container);
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
        quiet();
        close_chunks(container);
        ft_hdf5_output_destroy(container->output, true);
    } else if (container->file >= 0) {
        close_file(container);
    }
    ft_hdf5_unlock();
    if (container->descriptor >= 0)
        close(container->descriptor);
    free(container->frames);
    free(container->index);
    free(container->path);
    free(container);
}

/* ---- writing ---- */

static hid_t create_chunks(hid_t file)
{
    hsize_t none = 0, unlimited = H5S_UNLIMITED;
    hid_t space = H5Screate_simple(1, &none, &unlimited);
    hid_t creation = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_chunk(creation, 1, &chunk_bytes);
    H5Pset_filter(creation, FT_ZSTD_FILTER, H5Z_FLAG_MANDATORY, 0, NULL);
    H5Pset_obj_track_times(creation, 0);
    H5Pset_fill_time(creation, H5D_FILL_TIME_NEVER);
    hid_t chunks =
        H5Dcreate2(file, "chunks", H5T_STD_U8LE, space, H5P_DEFAULT, creation, H5P_DEFAULT);
    H5Pclose(creation);
    H5Sclose(space);
    return chunks;
}

static int put_attribute(struct ft_container *container, const char *name, hid_t type,
                         const void *value, struct ft_diag *diag)
{
    if (H5Aexists(container->file, name) > 0)
        H5Adelete(container->file, name);
    hid_t space = H5Screate(H5S_SCALAR);
    hid_t attribute = H5Acreate2(container->file, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
    bool written = attribute >= 0 && H5Awrite(attribute, type, value) >= 0;
    if (attribute >= 0)
        written &= H5Aclose(attribute) >= 0;
    H5Sclose(space);
    return written ? FT_OK : ft_hdf5_output_fail(container->output, diag);
}

static int put_text(struct ft_container *container, const char *name, const char *text,
                    struct ft_diag *diag)
{
    size_t length = strlen(text);
    hid_t type = H5Tcopy(H5T_C_S1);
    H5Tset_size(type, length < ATTRIBUTE_MAX ? length + 1 : ATTRIBUTE_MAX);
    H5Tset_strpad(type, length < ATTRIBUTE_MAX ? H5T_STR_NULLTERM : H5T_STR_NULLPAD);
    H5Tset_cset(type, H5T_CSET_UTF8);
    int status = put_attribute(container, name, type, text, diag);
    H5Tclose(type);
    return status;
}

static int put_number(struct ft_container *container, const char *name, uint64_t number,
                      struct ft_diag *diag)
{
    return put_attribute(container, name, H5T_STD_U64LE, &number, diag);
}

/* What is in a new file; HDF5 is locked. */
static int begin(struct ft_container *container, struct ft_diag *diag)
{
    quiet();
    int status = ft_hdf5_output_create(container->path, &container->output, diag);
    if (status < 0)
        return status;
    container->file = ft_hdf5_output_file(container->output);
    if (H5Zregister(&ft_zstd_filter) < 0 ||
        (container->chunks = create_chunks(container->file)) < 0)
        return ft_hdf5_output_fail(container->output, diag);
    status = put_text(container, "format", FORMAT_NAME, diag);
    return status ? status : put_number(container, "version", 1, diag);
}

int ft_container_create(const char *path, struct ft_container **ret_container, struct ft_diag *diag)
{
    struct ft_container *container = container_new(path);
    if (!container)
        return ft_fail_memory(diag, path);
    ft_hdf5_lock();
    int status = begin(container, diag);
    ft_hdf5_unlock();
    if (status) {
        ft_container_close(container);
        return status;
    }
    *ret_container = container;
    return FT_OK;
}

/* Whether everything went out so far; if not, what can be had in spite of it. */
static int check_written(const struct ft_container *container, struct ft_diag *diag)
{
    int status = ft_hdf5_output_check(container->output, diag);
    if (status < 0 && diag && container->count > 1) {
        size_t end = strlen(diag->message);
        snprintf(diag->message + end, sizeof diag->message - end,
                 "; %s.partial can be read up to there", container->path);
    }
    return status;
}

int ft_container_append(struct ft_container *container, const uint8_t *frame, size_t frame_bytes,
                        struct ft_diag *diag)
{
    hsize_t offset = container->count * chunk_bytes;
    hsize_t extent = offset + chunk_bytes;
    ft_hdf5_lock();
    quiet();
    bool written =
        H5Dset_extent(container->chunks, &extent) >= 0 &&
        H5Dwrite_chunk(container->chunks, H5P_DEFAULT, 0, &offset, frame_bytes, frame) >= 0;
    ft_hdf5_unlock();
    if (!written)
        return ft_hdf5_output_fail(container->output, diag);
    int status = check_written(container, diag);
    container->count += status == FT_OK;
    return status;
}

int ft_container_flush(struct ft_container *container, struct ft_diag *diag)
{
    ft_hdf5_lock();
    quiet();
    bool flushed = H5Fflush(container->file, H5F_SCOPE_LOCAL) >= 0;
    ft_hdf5_unlock();
    return flushed ? check_written(container, diag) : ft_hdf5_output_fail(container->output, diag);
}

int ft_container_put_text(struct ft_container *container, const char *name, const char *text,
                          struct ft_diag *diag)
{
    ft_hdf5_lock();
    quiet();
    int status = put_text(container, name, text ? text : "", diag);
    ft_hdf5_unlock();
    return status;
}

int ft_container_put_number(struct ft_container *container, const char *name, uint64_t number,
                            struct ft_diag *diag)
{
    ft_hdf5_lock();
    quiet();
    int status = put_number(container, name, number, diag);
    ft_hdf5_unlock();
    return status;
}

int ft_container_put_index(struct ft_container *container, const struct ft_chunk_description *rows,
                           size_t count, struct ft_diag *diag)
{
    ft_hdf5_lock();
    quiet();
    int status = ft_records_write(container->file, "index", &row_type, rows, count, diag);
    ft_hdf5_unlock();
    return status;
}

int ft_container_finish(struct ft_container *container, struct ft_diag *diag)
{
    int status = ft_container_put_number(container, "complete", 1, diag);
    ft_hdf5_lock();
    close_chunks(container);
    ft_hdf5_unlock();
    return status ? status : ft_hdf5_output_finish(container->output, diag);
}

/* ---- reading ---- */

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
    if (strcmp(format, FORMAT_NAME) != 0)
        return ft_fail(diag, FT_ERROR_DATA, "%s: an HDF5 file, but no trace%s%s%s", container->path,
                       format[0] ? " (it says '" : "", format, format[0] ? "')" : "");
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
    if (ft_records_read(container->file, "index", &row_type, &rows, &count, &cause))
        return ft_fail(diag, FT_ERROR_DATA, "%s: %.900s", container->path, cause.message);
    container->index = rows;
    if (count != container->count)
        return ft_fail(diag, FT_ERROR_DATA, "%s: the index has another number of chunks",
                       container->path);
    return FT_OK;
}

/* /chunks must be what a writer makes, or reading frames one by one would make no sense. */
static int check_chunks(struct ft_container *container, struct ft_diag *diag)
{
    container->chunks = H5Dopen2(container->file, "chunks", H5P_DEFAULT);
    if (container->chunks < 0)
        return fail_hdf5(container, FT_ERROR_DATA, "no chunks", diag);
    hid_t creation = H5Dget_create_plist(container->chunks);
    hid_t space = H5Dget_space(container->chunks);
    hsize_t size = 0, extent = 0;
    bool right = H5Pget_layout(creation) == H5D_CHUNKED && H5Sget_simple_extent_ndims(space) == 1 &&
                 H5Pget_chunk(creation, 1, &size) == 1 && size == chunk_bytes &&
                 H5Sget_simple_extent_dims(space, &extent, NULL) == 1 &&
                 extent % chunk_bytes == 0 &&
                 extent / chunk_bytes <= container->file_bytes / FT_CHUNK_FRAME_BYTES_MIN;
    H5Sclose(space);
    H5Pclose(creation);
    if (!right)
        return ft_fail(diag, FT_ERROR_DATA, "%s: its chunks are not those of a trace",
                       container->path);
    container->count = extent / chunk_bytes;
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
        hsize_t offset = i * chunk_bytes, bytes;
        if (H5Dget_chunk_storage_size(container->chunks, &offset, &bytes) < 0)
            return;
    }
}

static int try_hdf5(struct ft_container *container, struct ft_diag *diag)
{
    ft_hdf5_lock();
    int status = ft_hdf5_input_try(container->path, attempt, container, diag);
    if (status == FT_OK)
        status = open_hdf5(container, diag);
    if (status)
        close_file(container);
    ft_hdf5_unlock();
    return status;
}

/* Reads up to so many bytes, fewer at the end of the file. */
static int read_at(const struct ft_container *container, uint64_t offset, uint8_t *data,
                   size_t bytes, size_t *ret_bytes, struct ft_diag *diag)
{
    size_t got = 0;
    while (got < bytes) {
        ssize_t more = pread(container->descriptor, data + got, bytes - got, (off_t)(offset + got));
        if (more < 0 && errno == EINTR)
            continue;
        if (more < 0)
            return ft_fail(diag, FT_ERROR_IO, "%s: %s", container->path, strerror(errno));
        if (more == 0)
            break;
        got += (size_t)more;
    }
    *ret_bytes = got;
    return FT_OK;
}

/* Notes the frames of chunks that start in the first `searched` bytes of a window; gives where the
 * search goes on, counted from the window's start. */
static int carve_window(struct ft_container *container, uint64_t window, const uint8_t *data,
                        size_t bytes, size_t searched, size_t *ret_next, struct ft_diag *diag)
{
    static const uint8_t magic[4] = {0x28, 0xb5, 0x2f, 0xfd};
    size_t at = 0;
    while (at < searched) {
        struct ft_chunk_description description;
        const uint8_t *found = memmem(data + at, bytes - at, magic, sizeof magic);
        at = found ? (size_t)(found - data) : searched;
        if (at >= searched)
            break;
        size_t frame = ft_chunk_frame_bytes(found, bytes - at);
        if (frame == 0 || ft_chunk_peek(found, frame, &description, NULL) != FT_OK) {
            at++;
            continue;
        }
        if (!FT_RESERVE(container->frames, container->frame_capacity, container->count + 1))
            return ft_fail_memory(diag, "the chunks of a cut-off trace");
        container->frames[container->count++] = (struct frame){window + at, frame};
        at += frame;
    }
    *ret_next = at;
    return FT_OK;
}

/* Looks for the frames of chunks in the raw bytes, a window at a time; windows overlap by as much
 * as a frame can be long. */
static int carve(struct ft_container *container, struct ft_diag *diag)
{
    const size_t most =
        container->file_bytes < WINDOW_BYTES ? container->file_bytes + 1 : WINDOW_BYTES;
    uint8_t *data = malloc(most);
    size_t got = 0, next = 0;
    bool at_end = false;
    int status = data ? FT_OK : ft_fail_memory(diag, "the bytes of a cut-off trace");
    container->count = 0;
    for (uint64_t window = 0; status == FT_OK && !at_end; window += next) {
        status = read_at(container, window, data, most, &got, diag);
        at_end = got < WINDOW_BYTES;
        size_t searched = at_end ? got : WINDOW_BYTES - ft_chunk_frame_bytes_max();
        if (status == FT_OK)
            status = carve_window(container, window, data, got, searched, &next, diag);
    }
    free(data);
    return status;
}

static int check_file(struct ft_container *container, bool *ret_is_hdf5, struct ft_diag *diag)
{
    struct stat file;
    char start[8] = "";
    if (fstat(container->descriptor, &file) != 0)
        return ft_fail(diag, FT_ERROR_IO, "%s: %s", container->path, strerror(errno));
    if (!S_ISREG(file.st_mode))
        return ft_fail(diag, FT_ERROR_DATA, "%s: not a file", container->path);
    container->file_bytes = (uint64_t)file.st_size;
    *ret_is_hdf5 = pread(container->descriptor, start, sizeof start, 0) == sizeof start &&
                   memcmp(start, "\x89HDF\r\n\x1a\n", sizeof start) == 0;
    return FT_OK;
}

static int open_container(struct ft_container *container, bool allow_incomplete, bool only_carve,
                          struct ft_diag *diag)
{
    bool is_hdf5 = false;
    container->descriptor = open(container->path, O_RDONLY | O_CLOEXEC);
    if (container->descriptor < 0)
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
        int carved = carve(container, diag);
        return carved || container->count ? carved : status;
    }
    close(container->descriptor);
    container->descriptor = -1;
    return status;
}

int ft_container_open(const char *path, bool allow_incomplete, bool only_carve,
                      struct ft_container **ret_container, struct ft_diag *diag)
{
    struct ft_container *container = container_new(path);
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
    hsize_t offset = index * chunk_bytes, bytes = 0;
    uint32_t mask = 0;
    quiet();
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

static int read_carved(const struct ft_container *container, const struct frame *found,
                       struct ft_bytes *frame, struct ft_diag *diag)
{
    if (!FT_RESERVE(frame->data, frame->capacity, found->bytes))
        return ft_fail_memory(diag, "a chunk");
    int status = read_at(container, found->offset, frame->data, found->bytes, &frame->length, diag);
    if (status == FT_OK && frame->length < found->bytes)
        status = ft_fail(diag, FT_ERROR_DATA, "%s: it became shorter while it was read",
                         container->path);
    return status;
}

int ft_container_read(struct ft_container *container, uint64_t index, struct ft_bytes *frame,
                      struct ft_diag *diag)
{
    if (index >= container->count)
        return ft_fail(diag, FT_ERROR_DATA, "%s: there is no chunk %llu", container->path,
                       (unsigned long long)index);
    if (!container->complete)
        return read_carved(container, &container->frames[index], frame, diag);
    ft_hdf5_lock();
    int status = read_hdf5(container, index, frame, diag);
    ft_hdf5_unlock();
    return status;
}
