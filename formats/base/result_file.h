/*
 * HDF5 files that hold results: written whole or not at all (formats/base/hdf5_output.h), and told
 * apart by kind and version.
 *
 * The root carries the attributes foretrace_kind ("model") and format_version. Metadata are
 * checksummed by HDF5 (format 1.10). HDF5 must not be called by two threads at once.
 */
#ifndef FT_FORMATS_BASE_RESULT_FILE_H
#define FT_FORMATS_BASE_RESULT_FILE_H

#include <hdf5.h>
#include <stdint.h>

#include "formats/base/hdf5_output.h"

struct ft_result_file {
    struct ft_hdf5_output *output;
    hid_t root; /* the file */
};

int ft_result_file_create(const char *path, const char *kind, uint32_t version,
                          struct ft_result_file *ret_file, struct ft_diag *diag);
/* Both end the file, whether they succeed or not. */
int ft_result_file_commit(struct ft_result_file *file, struct ft_diag *diag);
void ft_result_file_abandon(struct ft_result_file *file);

/* Opens for reading; H5Fclose ends it. FT_ERROR_DATA where it is not of this kind, newer than
 * `version`, or damaged. */
int ft_result_file_open(const char *path, const char *kind, uint32_t version, hid_t *ret_root,
                        struct ft_diag *diag);

/* A group without times, to be closed with H5Gclose. */
int ft_result_group_create(hid_t parent, const char *name, hid_t *ret_group, struct ft_diag *diag);

#endif
