/*
 * Writing: all objects are made first, frames go in with H5Dwrite_chunk (HDF5 neither compresses
 * nor caches them), index and attributes follow at the end; the attribute "complete" comes last.
 *
 * Reading: HDF5 gives the frames of a complete file. It refuses a file that is a byte short, and
 * one that was never closed, so there the frames are looked for in the raw bytes: zstd's magic
 * number, the content size of a chunk, a whole frame, our description in it.
 */
#include "formats/trace/container.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <hdf5.h>

#include "formats/base/array.h"
#include "formats/base/hdf5_output.h"
#include "formats/base/records.h"
#include "formats/trace/zstd_filter.h"

#define FORMAT_NAME   "foretrace trace"
#define CHUNKS_MAX    (UINT64_C(1) << 32)
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
    pthread_mutex_t lock; /* HDF5's own lock may be compiled out */
    /* Cut-off files: */
    const uint8_t *raw; /* the file, mapped */
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
    pthread_mutex_init(&container->lock, NULL);
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
    quiet();
    if (container->output) {
        close_chunks(container);
        ft_hdf5_output_destroy(container->output, true);
    } else {
        close_file(container);
    }
    if (container->raw)
        munmap((void *)container->raw, container->file_bytes);
    pthread_mutex_destroy(&container->lock);
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

int ft_container_create(const char *path, struct ft_container **ret_container, struct ft_diag *diag)
{
    quiet();
    struct ft_container *container = container_new(path);
    if (!container)
        return ft_fail_memory(diag, path);
    int status = ft_hdf5_output_create(path, &container->output, diag);
    if (status == FT_OK) {
        container->file = ft_hdf5_output_file(container->output);
        if (H5Zregister(&ft_zstd_filter) < 0 ||
            (container->chunks = create_chunks(container->file)) < 0)
            status = ft_hdf5_output_fail(container->output, diag);
    }
    if (status == FT_OK)
        status = ft_container_put_text(container, "format", FORMAT_NAME, diag);
    if (status == FT_OK)
        status = ft_container_put_number(container, "version", FT_TRACE_VERSION, diag);
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
    quiet();
    hsize_t offset = container->count * chunk_bytes;
    hsize_t extent = offset + chunk_bytes;
    if (H5Dset_extent(container->chunks, &extent) < 0 ||
        H5Dwrite_chunk(container->chunks, H5P_DEFAULT, 0, &offset, frame_bytes, frame) < 0)
        return ft_hdf5_output_fail(container->output, diag);
    int status = check_written(container, diag);
    container->count += status == FT_OK;
    return status;
}

int ft_container_flush(struct ft_container *container, struct ft_diag *diag)
{
    quiet();
    if (H5Fflush(container->file, H5F_SCOPE_LOCAL) < 0)
        return ft_hdf5_output_fail(container->output, diag);
    return check_written(container, diag);
}

static int put_attribute(struct ft_container *container, const char *name, hid_t type,
                         const void *value, struct ft_diag *diag)
{
    hid_t space = H5Screate(H5S_SCALAR);
    hid_t attribute = H5Acreate2(container->file, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
    bool written = attribute >= 0 && H5Awrite(attribute, type, value) >= 0;
    if (attribute >= 0)
        written &= H5Aclose(attribute) >= 0;
    H5Sclose(space);
    return written ? FT_OK : ft_hdf5_output_fail(container->output, diag);
}

int ft_container_put_text(struct ft_container *container, const char *name, const char *text,
                          struct ft_diag *diag)
{
    quiet();
    size_t length = strlen(text ? text : "");
    hid_t type = H5Tcopy(H5T_C_S1);
    H5Tset_size(type, length < ATTRIBUTE_MAX ? length + 1 : ATTRIBUTE_MAX);
    H5Tset_strpad(type, length < ATTRIBUTE_MAX ? H5T_STR_NULLTERM : H5T_STR_NULLPAD);
    H5Tset_cset(type, H5T_CSET_UTF8);
    int status = put_attribute(container, name, type, text ? text : "", diag);
    H5Tclose(type);
    return status;
}

int ft_container_put_number(struct ft_container *container, const char *name, uint64_t number,
                            struct ft_diag *diag)
{
    quiet();
    return put_attribute(container, name, H5T_STD_U64LE, &number, diag);
}

int ft_container_put_index(struct ft_container *container, const struct ft_chunk_description *rows,
                           size_t count, struct ft_diag *diag)
{
    quiet();
    return ft_records_write(container->file, "index", &row_type, rows, count, diag);
}

int ft_container_finish(struct ft_container *container, struct ft_diag *diag)
{
    int status = ft_container_put_number(container, "complete", 1, diag);
    close_chunks(container);
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
                 extent % chunk_bytes == 0 && extent / chunk_bytes < CHUNKS_MAX;
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
    hid_t access = H5Pcreate(H5P_FILE_ACCESS);
    H5Pset_metadata_read_attempts(access, 3);
    container->file = H5Fopen(container->path, H5F_ACC_RDONLY, access);
    H5Pclose(access);
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

/* Looks for the frames of chunks in the raw bytes. */
static int carve(struct ft_container *container, struct ft_diag *diag)
{
    static const uint8_t magic[4] = {0x28, 0xb5, 0x2f, 0xfd};
    const uint8_t *at = container->raw;
    const uint8_t *end = at + container->file_bytes;
    container->count = 0;
    while ((at = memmem(at, (size_t)(end - at), magic, sizeof magic))) {
        struct ft_chunk_description description;
        size_t bytes = ft_chunk_frame_bytes(at, (size_t)(end - at));
        if (bytes == 0 || ft_chunk_peek(at, bytes, &description, NULL) != FT_OK) {
            at++;
            continue;
        }
        if (!FT_RESERVE(container->frames, container->frame_capacity, container->count + 1))
            return ft_fail_memory(diag, "the chunks of a cut-off trace");
        container->frames[container->count++] =
            (struct frame){(uint64_t)(at - container->raw), bytes};
        at += bytes;
    }
    return FT_OK;
}

static int map_file(struct ft_container *container, int file, struct ft_diag *diag)
{
    void *raw = mmap(NULL, container->file_bytes, PROT_READ, MAP_PRIVATE, file, 0);
    if (raw == MAP_FAILED)
        return ft_fail(diag, FT_ERROR_IO, "%s: %s", container->path, strerror(errno));
    container->raw = raw;
    return FT_OK;
}

static int open_container(struct ft_container *container, bool allow_incomplete,
                          struct ft_diag *diag)
{
    struct stat file_status;
    int file = open(container->path, O_RDONLY | O_CLOEXEC);
    if (file < 0 || fstat(file, &file_status) != 0) {
        int error = errno;
        if (file >= 0)
            close(file);
        return ft_fail(diag, FT_ERROR_IO, "%s: %s", container->path, strerror(error));
    }
    if (!S_ISREG(file_status.st_mode)) {
        close(file);
        return ft_fail(diag, FT_ERROR_DATA, "%s: not a file", container->path);
    }
    container->file_bytes = (uint64_t)file_status.st_size;
    quiet();
    char start[8] = "";
    int status = FT_OK;
    if (pread(file, start, sizeof start, 0) != sizeof start ||
        memcmp(start, "\x89HDF\r\n\x1a\n", sizeof start) != 0)
        status = ft_fail(diag, FT_ERROR_DATA, "%s: not a trace (no HDF5 file)", container->path);
    else
        status = open_hdf5(container, diag);
    if (status && allow_incomplete && container->file_bytes) {
        close_file(container);
        int carved = map_file(container, file, diag);
        if (carved == FT_OK)
            carved = carve(container, diag);
        if (carved || container->count)
            status = carved;
    }
    close(file);
    return status;
}

int ft_container_open(const char *path, bool allow_incomplete, struct ft_container **ret_container,
                      struct ft_diag *diag)
{
    struct ft_container *container = container_new(path);
    if (!container)
        return ft_fail_memory(diag, path);
    int status = open_container(container, allow_incomplete, diag);
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

int ft_container_read(struct ft_container *container, uint64_t index, struct ft_bytes *frame,
                      struct ft_diag *diag)
{
    if (index >= container->count)
        return ft_fail(diag, FT_ERROR_DATA, "%s: there is no chunk %llu", container->path,
                       (unsigned long long)index);
    if (container->raw) {
        const struct frame *found = &container->frames[index];
        frame->length = 0;
        ft_put(frame, container->raw + found->offset, found->bytes);
        return frame->failed ? ft_fail_memory(diag, "a chunk") : FT_OK;
    }
    pthread_mutex_lock(&container->lock);
    int status = read_hdf5(container, index, frame, diag);
    pthread_mutex_unlock(&container->lock);
    return status;
}
