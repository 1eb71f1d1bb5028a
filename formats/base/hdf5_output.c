/*
 * The driver is HDF5's default one (sec2) without what only reading needs: addresses are offsets in
 * the file, allocation is HDF5's own. The descriptor is not the driver's, so that it outlives
 * HDF5's use of it and can be synced.
 */
#include "formats/base/hdf5_output.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "formats/base/hdf5_input.h"
#include "formats/base/unfinished.h"

struct ft_hdf5_output {
    char *path, *partial;
    int descriptor;
    int error; /* errno of the first failure */
    hid_t file;
    bool finished;
};

/* ---- the driver ---- */

struct driver_options { /* kept by HDF5 in the access properties */
    struct ft_hdf5_output *output;
};

struct driver_file {
    H5FD_t hdf5; /* HDF5 fills it in */
    struct ft_hdf5_output *output;
    haddr_t allocated_end, written_end;
};

static void note_error(struct ft_hdf5_output *output, int error)
{
    if (output->error == 0)
        output->error = error ? error : EIO;
}

static H5FD_t *driver_open(const char *name, unsigned flags, hid_t access, haddr_t address_max)
{
    (void)name, (void)flags, (void)address_max;
    const struct driver_options *options = H5Pget_driver_info(access);
    struct driver_file *file = calloc(1, sizeof *file);
    if (!options || !file) {
        free(file);
        return NULL;
    }
    file->output = options->output;
    return &file->hdf5;
}

static herr_t driver_close(H5FD_t *hdf5)
{
    free(hdf5);
    return 0;
}

static herr_t driver_query(const H5FD_t *hdf5, unsigned long *flags)
{
    (void)hdf5;
    *flags = H5FD_FEAT_AGGREGATE_METADATA | H5FD_FEAT_ACCUMULATE_METADATA | H5FD_FEAT_DATA_SIEVE |
             H5FD_FEAT_AGGREGATE_SMALLDATA | H5FD_FEAT_DEFAULT_VFD_COMPATIBLE;
    return 0;
}

static haddr_t driver_allocated_end(const H5FD_t *hdf5, H5FD_mem_t type)
{
    (void)type;
    return ((const struct driver_file *)hdf5)->allocated_end;
}

static herr_t driver_allocate(H5FD_t *hdf5, H5FD_mem_t type, haddr_t end)
{
    (void)type;
    ((struct driver_file *)hdf5)->allocated_end = end;
    return 0;
}

static haddr_t driver_written_end(const H5FD_t *hdf5, H5FD_mem_t type)
{
    (void)type;
    return ((const struct driver_file *)hdf5)->written_end;
}

/* What was never written is 0. */
static herr_t driver_read(H5FD_t *hdf5, H5FD_mem_t type, hid_t transfer, haddr_t address,
                          size_t bytes, void *buffer)
{
    (void)type, (void)transfer;
    struct ft_hdf5_output *output = ((struct driver_file *)hdf5)->output;
    uint8_t *at = buffer;
    while (bytes > 0) {
        ssize_t done = pread(output->descriptor, at, bytes, (off_t)address);
        if (done < 0 && errno == EINTR)
            continue;
        if (done < 0)
            note_error(output, errno);
        if (done <= 0)
            break;
        at += done;
        address += (haddr_t)done;
        bytes -= (size_t)done;
    }
    memset(at, 0, bytes);
    return 0;
}

static herr_t driver_write(H5FD_t *hdf5, H5FD_mem_t type, hid_t transfer, haddr_t address,
                           size_t bytes, const void *buffer)
{
    (void)type, (void)transfer;
    struct driver_file *file = (struct driver_file *)hdf5;
    struct ft_hdf5_output *output = file->output;
    const uint8_t *from = buffer;
    if (address + bytes > file->written_end)
        file->written_end = address + bytes;
    while (bytes > 0 && output->error == 0) {
        ssize_t done = pwrite(output->descriptor, from, bytes, (off_t)address);
        if (done < 0 && errno == EINTR)
            continue;
        if (done <= 0) {
            note_error(output, done < 0 ? errno : ENOSPC);
            break;
        }
        from += done;
        address += (haddr_t)done;
        bytes -= (size_t)done;
    }
    return 0;
}

static herr_t driver_truncate(H5FD_t *hdf5, hid_t transfer, hbool_t closing)
{
    (void)transfer, (void)closing;
    struct driver_file *file = (struct driver_file *)hdf5;
    struct ft_hdf5_output *output = file->output;
    if (file->written_end == file->allocated_end)
        return 0;
    file->written_end = file->allocated_end;
    if (output->error == 0 && ftruncate(output->descriptor, (off_t)file->allocated_end) != 0)
        note_error(output, errno);
    return 0;
}

static const H5FD_class_t driver_class = {
#ifdef H5FD_CLASS_VERSION /* HDF5 1.14 */
    .version = H5FD_CLASS_VERSION,
    .value = (H5FD_class_value_t)511, /* of the values left to applications */
#endif
    .name = "foretrace_output",
    .maxaddr = (haddr_t)INT64_MAX,
    .fc_degree = H5F_CLOSE_WEAK,
    .fapl_size = sizeof(struct driver_options),
    .open = driver_open,
    .close = driver_close,
    .query = driver_query,
    .get_eoa = driver_allocated_end,
    .set_eoa = driver_allocate,
    .get_eof = driver_written_end,
    .read = driver_read,
    .write = driver_write,
    .truncate = driver_truncate,
    .fl_map = H5FD_FLMAP_DICHOTOMY,
};

static hid_t driver(void)
{
    static hid_t registered = -1;
    if (registered < 0)
        registered = H5FDregister(&driver_class);
    return registered;
}

/* ---- files ---- */

int ft_output_check(const char *path, struct ft_diag *diag)
{
    struct stat there;
    if (stat(path, &there) != 0 || S_ISREG(there.st_mode))
        return FT_OK;
    return ft_fail(diag, FT_ERROR_IO, "%s: is a %s, not a file that may be replaced", path,
                   S_ISDIR(there.st_mode) ? "folder" : "device");
}

int ft_output_check_folder(const char *path, struct ft_diag *diag)
{
    char *copy = strdup(path);
    if (!copy)
        return ft_fail_memory(diag, path);
    int status =
        access(dirname(copy), W_OK | X_OK) == 0 ? FT_OK : ft_output_fail(path, errno, diag);
    free(copy);
    return status;
}

int ft_output_fail(const char *path, int error, struct ft_diag *diag)
{
    bool no_room = error == ENOSPC || error == EDQUOT || error == EFBIG;
    return ft_fail(diag, FT_ERROR_IO, "%s: cannot be written: %s%s", path, strerror(error),
                   no_room ? "; make room there, or name a file elsewhere" : "");
}

static hid_t create_file(struct ft_hdf5_output *output)
{
    struct driver_options options = {output};
    hid_t creation = H5Pcreate(H5P_FILE_CREATE), access = H5Pcreate(H5P_FILE_ACCESS);
    hid_t file = -1;
    if (creation >= 0 && access >= 0 && H5Pset_obj_track_times(creation, 0) >= 0 &&
        H5Pset_libver_bounds(access, H5F_LIBVER_V110, H5F_LIBVER_V110) >= 0 &&
        H5Pset_driver(access, driver(), &options) >= 0)
        file = H5Fcreate(output->partial, H5F_ACC_TRUNC, creation, access);
    H5Pclose(creation);
    H5Pclose(access);
    return file;
}

/* Whether the file that is open still has the name. */
static bool has_name(int descriptor, const char *path)
{
    struct stat open_file, named;
    return fstat(descriptor, &open_file) == 0 && stat(path, &named) == 0 &&
           open_file.st_dev == named.st_dev && open_file.st_ino == named.st_ino;
}

/* Opens PATH.partial and empties it, unless somebody is writing it. Where the file system knows no
 * locks, nobody can tell. */
static int open_partial(struct ft_hdf5_output *output, struct ft_diag *diag)
{
    for (;;) {
        output->descriptor = open(output->partial, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
        if (output->descriptor < 0)
            return ft_fail(diag, FT_ERROR_IO, "%s: cannot be created: %s", output->partial,
                           strerror(errno));
        if (flock(output->descriptor, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK)
            return ft_fail(diag, FT_ERROR_IO,
                           "%s: another foretrace is writing it; give -o another name",
                           output->partial);
        if (has_name(output->descriptor, output->partial))
            break;
        close(output->descriptor); /* it was finished, and renamed, just now */
    }
    if (ftruncate(output->descriptor, 0) != 0)
        return ft_fail(diag, FT_ERROR_IO, "%s: cannot be emptied: %s", output->partial,
                       strerror(errno));
    return FT_OK;
}

int ft_hdf5_output_create(const char *path, struct ft_hdf5_output **ret_output,
                          struct ft_diag *diag)
{
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL); /* errors are told through ft_diag, never printed */
    FT_TRY(ft_output_check(path, diag));
    struct ft_hdf5_output *output = calloc(1, sizeof *output);
    if (!output)
        return ft_fail_memory(diag, path);
    output->descriptor = -1;
    output->file = -1;
    output->path = strdup(path);
    if (!output->path || asprintf(&output->partial, "%s.partial", path) < 0) {
        output->partial = NULL;
        ft_hdf5_output_destroy(output, true);
        return ft_fail_memory(diag, path);
    }
    int status = open_partial(output, diag);
    bool is_ours = status == FT_OK;
    if (is_ours && (output->file = create_file(output)) < 0)
        status = ft_hdf5_output_fail(output, diag);
    if (status < 0) {
        ft_hdf5_output_destroy(output, !is_ours);
        return status;
    }
    *ret_output = output;
    return FT_OK;
}

void ft_hdf5_output_remove_at_signals(struct ft_hdf5_output *output)
{
    ft_unfinished_add(output->partial);
}

hid_t ft_hdf5_output_file(const struct ft_hdf5_output *output)
{
    return output->file;
}

int ft_hdf5_output_check(const struct ft_hdf5_output *output, struct ft_diag *diag)
{
    return output->error ? ft_output_fail(output->path, output->error, diag) : FT_OK;
}

int ft_hdf5_output_fail(const struct ft_hdf5_output *output, struct ft_diag *diag)
{
    int status = ft_hdf5_output_check(output, diag);
    return status < 0
               ? status
               : ft_fail(diag, FT_ERROR_IO, "%s: cannot be written: HDF5 failed", output->path);
}

void ft_output_sync_folder(const char *path)
{
    char *copy = strdup(path);
    int folder = copy ? open(dirname(copy), O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
    if (folder >= 0) {
        (void)fsync(folder);
        close(folder);
    }
    free(copy);
}

int ft_hdf5_output_finish(struct ft_hdf5_output *output, struct ft_diag *diag)
{
    ft_hdf5_lock();
    herr_t closed = H5Fclose(output->file);
    ft_hdf5_unlock();
    output->file = -1;
    if (closed < 0)
        return ft_hdf5_output_fail(output, diag);
    if (output->error == 0 &&
        (fsync(output->descriptor) != 0 || rename(output->partial, output->path) != 0))
        note_error(output, errno);
    if (output->error)
        return ft_hdf5_output_check(output, diag);
    output->finished = true;
    ft_output_sync_folder(output->path);
    return FT_OK;
}

void ft_hdf5_output_destroy(struct ft_hdf5_output *output, bool keep_partial)
{
    if (!output)
        return;
    if (output->file >= 0)
        H5Fclose(output->file);
    if (output->descriptor >= 0)
        close(output->descriptor);
    if (!output->finished && !keep_partial)
        unlink(output->partial);
    ft_unfinished_drop(output->partial);
    free(output->partial);
    free(output->path);
    free(output);
}
