/*
 * All objects are made first, frames go in with H5Dwrite_chunk (HDF5 neither compresses nor caches
 * them), index and attributes follow at the end; the attribute "complete" comes last.
 */
#include <stdio.h>
#include <string.h>

#include "formats/base/hdf5_input.h"
#include "formats/trace/container.h"
#include "formats/trace/container_file.h"
#include "formats/trace/zstd_filter.h"

#define ATTRIBUTE_MAX 32768U /* texts are cut there; the chunks have them whole */

static hid_t create_chunks(hid_t file)
{
    hsize_t none = 0, unlimited = H5S_UNLIMITED, chunk_bytes = FT_CHUNK_BYTES;
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
    ft_container_quiet();
    FT_TRY(ft_hdf5_output_create(container->path, &container->output, diag));
    container->file = ft_hdf5_output_file(container->output);
    if (H5Zregister(&ft_zstd_filter) < 0 ||
        (container->chunks = create_chunks(container->file)) < 0)
        return ft_hdf5_output_fail(container->output, diag);
    int status = put_text(container, "format", FT_TRACE_FORMAT_NAME, diag);
    return status ? status : put_number(container, "version", 1, diag);
}

int ft_container_create(const char *path, struct ft_container **ret_container, struct ft_diag *diag)
{
    struct ft_container *container = ft_container_new(path);
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
    hsize_t offset = container->count * FT_CHUNK_BYTES;
    hsize_t extent = offset + FT_CHUNK_BYTES;
    ft_hdf5_lock();
    ft_container_quiet();
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
    ft_container_quiet();
    bool flushed = H5Fflush(container->file, H5F_SCOPE_LOCAL) >= 0;
    ft_hdf5_unlock();
    return flushed ? check_written(container, diag) : ft_hdf5_output_fail(container->output, diag);
}

int ft_container_put_text(struct ft_container *container, const char *name, const char *text,
                          struct ft_diag *diag)
{
    ft_hdf5_lock();
    ft_container_quiet();
    int status = put_text(container, name, text ? text : "", diag);
    ft_hdf5_unlock();
    return status;
}

int ft_container_put_number(struct ft_container *container, const char *name, uint64_t number,
                            struct ft_diag *diag)
{
    ft_hdf5_lock();
    ft_container_quiet();
    int status = put_number(container, name, number, diag);
    ft_hdf5_unlock();
    return status;
}

int ft_container_put_index(struct ft_container *container, const struct ft_chunk_description *rows,
                           size_t count, struct ft_diag *diag)
{
    ft_hdf5_lock();
    ft_container_quiet();
    int status =
        ft_records_write(container->file, "index", &ft_container_row_type, rows, count, diag);
    ft_hdf5_unlock();
    return status;
}

int ft_container_finish(struct ft_container *container, struct ft_diag *diag)
{
    int status = ft_container_put_number(container, "complete", 1, diag);
    ft_hdf5_lock();
    ft_container_close_chunks(container);
    ft_hdf5_unlock();
    return status ? status : ft_hdf5_output_finish(container->output, diag);
}
