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
#include <stdbool.h>
#include <stdint.h>

#include "formats/base/hdf5_output.h"

/* Both make or open the file and hand its root, with `contents`, to the function that knows what
 * is in it; what that says of an error gets the path in front. Reading gives FT_ERROR_DATA where
 * the file is not of this kind, newer than `version`, or damaged. */
int ft_result_file_write(const char *path, const char *kind, uint32_t version,
                         int (*write_contents)(hid_t root, const void *contents,
                                               struct ft_diag *diag),
                         const void *contents, struct ft_diag *diag);
int ft_result_file_read(const char *path, const char *kind, uint32_t version,
                        int (*read_contents)(hid_t root, void *contents, struct ft_diag *diag),
                        void *contents, struct ft_diag *diag);

/* Whether the file says that it is of this kind, whatever its version. */
bool ft_result_file_is(const char *path, const char *kind);

/* A group without times, to be closed with H5Gclose. */
int ft_result_group_create(hid_t parent, const char *name, hid_t *ret_group, struct ft_diag *diag);

#endif
