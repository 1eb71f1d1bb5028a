/*
 * HDF5 files of results: written whole or not at all (formats/base/hdf5_output.h), and identified
 * by kind and version.
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

/* Both create or open the file and pass its root and `contents` to a function that knows the
 * contents; the path is put before its error message. Reading fails with FT_ERROR_DATA if the file
 * is of another kind, newer than `version`, or damaged. */
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
