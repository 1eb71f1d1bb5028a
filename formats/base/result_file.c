#include "formats/base/result_file.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "formats/base/hdf5_input.h"
#include "formats/base/input_form.h"

#define KIND_ATTRIBUTE    "foretrace_kind"
#define VERSION_ATTRIBUTE "format_version"
#define KIND_BYTES        16 /* in the file, padded with zeros */

static int put_attribute(hid_t root, const char *name, hid_t type, const void *value)
{
    hid_t space = H5Screate(H5S_SCALAR);
    hid_t attribute = H5Acreate2(root, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
    int status = attribute < 0 ? -1 : H5Awrite(attribute, type, value);
    if (attribute >= 0)
        H5Aclose(attribute);
    H5Sclose(space);
    return status;
}

static hid_t kind_type(void)
{
    hid_t type = H5Tcopy(H5T_C_S1);
    H5Tset_size(type, KIND_BYTES);
    H5Tset_strpad(type, H5T_STR_NULLPAD);
    return type;
}

static int put_kind(hid_t root, const char *kind, uint32_t version)
{
    char padded[KIND_BYTES] = {0};
    snprintf(padded, sizeof padded, "%s", kind);
    hid_t type = kind_type();
    int status = put_attribute(root, KIND_ATTRIBUTE, type, padded);
    H5Tclose(type);
    return status < 0 ? status : put_attribute(root, VERSION_ATTRIBUTE, H5T_STD_U32LE, &version);
}

int ft_result_file_write(const char *path, const char *kind, uint32_t version,
                         int (*write_contents)(hid_t root, const void *contents,
                                               struct ft_diag *diag),
                         const void *contents, struct ft_diag *diag)
{
    struct ft_hdf5_output *output;
    struct ft_diag inner = {0};
    int status = ft_hdf5_output_create(path, &output, diag);
    if (status)
        return status;
    ft_hdf5_output_remove_at_signals(output);
    hid_t root = ft_hdf5_output_file(output);
    if (put_kind(root, kind, version) < 0) {
        status = ft_hdf5_output_fail(output, diag);
    } else {
        status = write_contents(root, contents, &inner);
        if (status)
            ft_fail(diag, status, "%s: %s", path, inner.message);
        else
            status = ft_hdf5_output_finish(output, diag);
    }
    ft_hdf5_output_destroy(output, false);
    return status;
}

static bool get_attribute(hid_t root, const char *name, hid_t type, void *ret_value)
{
    hid_t attribute = H5Aopen(root, name, H5P_DEFAULT);
    if (attribute < 0)
        return false;
    hid_t space = H5Aget_space(attribute), stored = H5Aget_type(attribute);
    bool read = H5Sget_simple_extent_npoints(space) == 1 &&
                H5Tget_class(stored) == H5Tget_class(type) &&
                (H5Tget_class(type) != H5T_STRING || H5Tis_variable_str(stored) == 0) &&
                H5Aread(attribute, type, ret_value) >= 0;
    H5Tclose(stored);
    H5Sclose(space);
    H5Aclose(attribute);
    return read;
}

/* Of a file of another kind. */
static const char *next_step(const char *kind)
{
    if (strcmp(kind, "histograms") == 0)
        return "; 'foretrace fit' takes it";
    return strcmp(kind, "model") == 0 ? "; 'foretrace predict', 'query' and 'model show' take it"
                                      : "";
}

/* Of one that is damaged. */
static const char *remedy(const char *kind)
{
    if (strcmp(kind, "histograms") == 0)
        return "; make it again with 'foretrace replay'";
    return strcmp(kind, "model") == 0 ? "; make it again with 'foretrace fit'" : "";
}

static int open_root(const char *path, const char *kind, uint32_t version, hid_t *ret_root,
                     struct ft_diag *diag)
{
    if (access(path, R_OK) < 0)
        return ft_fail(diag, FT_ERROR_IO, "%s: %s", path, strerror(errno));
    FT_TRY(ft_check_input_form(path, diag));
    hid_t root = ft_hdf5_input_open(path);
    if (root < 0)
        return ft_fail(diag, FT_ERROR_DATA, "%s: damaged, or no HDF5 file", path);

    char stored[KIND_BYTES + 1] = {0};
    uint32_t stored_version = 0;
    hid_t type = kind_type();
    bool known = get_attribute(root, KIND_ATTRIBUTE, type, stored);
    H5Tclose(type);
    int status = FT_OK;
    if (!known)
        status = ft_fail(diag, FT_ERROR_DATA, "%s: not a %s file of foretrace", path, kind);
    else if (strcmp(stored, kind) != 0)
        status = ft_fail(diag, FT_ERROR_DATA, "%s: a %s file, where a %s file is needed%s", path,
                         stored, kind, next_step(stored));
    else if (!get_attribute(root, VERSION_ATTRIBUTE, H5T_NATIVE_UINT32, &stored_version))
        status = ft_fail(diag, FT_ERROR_DATA, "%s: the format version is missing", path);
    else if (stored_version > version)
        status = ft_fail(diag, FT_ERROR_DATA, "%s: %s format %u; this foretrace reads up to %u",
                         path, kind, stored_version, version);
    if (status < 0)
        H5Fclose(root);
    else
        *ret_root = root;
    return status;
}

struct reading {
    const char *path, *kind;
    uint32_t version;
    int (*read_contents)(hid_t root, void *contents, struct ft_diag *diag);
    void *contents;
};

static int read_whole(const struct reading *reading, struct ft_diag *diag)
{
    hid_t root = H5I_INVALID_HID;
    struct ft_diag inner = {0};
    FT_TRY(open_root(reading->path, reading->kind, reading->version, &root, diag));
    int status = reading->read_contents(root, reading->contents, &inner);
    H5Fclose(root);
    return status ? ft_fail(diag, status, "%s: %s%s", reading->path, inner.message,
                            status == FT_ERROR_DATA ? remedy(reading->kind) : "")
                  : FT_OK;
}

static void attempt(void *context)
{
    (void)read_whole(context, NULL);
}

int ft_result_file_read(const char *path, const char *kind, uint32_t version,
                        int (*read_contents)(hid_t root, void *contents, struct ft_diag *diag),
                        void *contents, struct ft_diag *diag)
{
    struct reading reading = {path, kind, version, read_contents, contents};
    ft_hdf5_lock();
    int status = ft_hdf5_input_try(path, attempt, &reading, diag);
    if (status == FT_OK)
        status = read_whole(&reading, diag);
    ft_hdf5_unlock();
    return status;
}

static int read_nothing(hid_t root, void *contents, struct ft_diag *diag)
{
    (void)root;
    (void)contents;
    (void)diag;
    return FT_OK;
}

bool ft_result_file_is(const char *path, const char *kind)
{
    return ft_result_file_read(path, kind, UINT32_MAX, read_nothing, NULL, NULL) == FT_OK;
}

int ft_result_group_create(hid_t parent, const char *name, hid_t *ret_group, struct ft_diag *diag)
{
    hid_t creation = H5Pcreate(H5P_GROUP_CREATE);
    hid_t group = -1;
    if (creation >= 0 && H5Pset_obj_track_times(creation, 0) >= 0)
        group = H5Gcreate2(parent, name, H5P_DEFAULT, creation, H5P_DEFAULT);
    H5Pclose(creation);
    if (group < 0)
        return ft_fail(diag, FT_ERROR_IO, "the group '%s' cannot be written", name);
    *ret_group = group;
    return FT_OK;
}
