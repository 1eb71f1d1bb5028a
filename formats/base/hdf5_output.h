/*
 * HDF5 files being written: PATH.partial until everything is written and synced.
 *
 * HDF5 1.10 crashes, at once or at exit, when it closes a file that it failed to write. So it
 * writes through a driver of ours that keeps the first error of the system, discards all later
 * writes, and reports success to HDF5; _check and _finish return the error. Equal contents give
 * equal bytes: no times. HDF5 must not be called by two threads at once.
 */
#ifndef FT_FORMATS_BASE_HDF5_OUTPUT_H
#define FT_FORMATS_BASE_HDF5_OUTPUT_H

#include <hdf5.h>
#include <stdbool.h>

#include "formats/base/status.h"

struct ft_hdf5_output;

/* Refuses to put a file in the place of a folder or a device (renaming would replace it). */
int ft_output_check(const char *path, struct ft_diag *diag);
/* Fails unless the folder of a file is there and can be written to. */
int ft_output_check_folder(const char *path, struct ft_diag *diag);
/* Fails because a file cannot be written, by errno, and says what can be done about it. */
int ft_output_fail(const char *path, int error, struct ft_diag *diag);
/* Syncs the folder of a file, so that its new name survives a crash too. File systems that cannot
 * are ignored. */
void ft_output_sync_folder(const char *path);

int ft_hdf5_output_create(const char *path, struct ft_hdf5_output **ret_output,
                          struct ft_diag *diag);
/* From now on a fatal signal removes the unfinished file (unfinished.h). */
void ft_hdf5_output_remove_at_signals(struct ft_hdf5_output *output);
hid_t ft_hdf5_output_file(const struct ft_hdf5_output *output);
/* FT_ERROR_IO if a write has failed so far. */
int ft_hdf5_output_check(const struct ft_hdf5_output *output, struct ft_diag *diag);
/* After a failed call of HDF5: the system's error, or else that HDF5 failed. */
int ft_hdf5_output_fail(const struct ft_hdf5_output *output, struct ft_diag *diag);
/* Closes the file (its objects must be closed), syncs it, and gives it its name. */
int ft_hdf5_output_finish(struct ft_hdf5_output *output, struct ft_diag *diag);
/* keep_partial: leaves PATH.partial of an unfinished file, which is removed otherwise. */
void ft_hdf5_output_destroy(struct ft_hdf5_output *output, bool keep_partial);

#endif
