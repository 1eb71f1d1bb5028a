/*
 * Reading HDF5 files that may be damaged or hostile. They are opened without file locks, which some
 * file systems refuse, and read in a child process first, because HDF5 itself reads out of bounds
 * or loops forever on some files. The parent reads only what a child has survived.
 *
 * HDF5 is used by one thread at a time: whoever reads holds the lock.
 */
#ifndef FT_FORMATS_BASE_HDF5_INPUT_H
#define FT_FORMATS_BASE_HDF5_INPUT_H

#include <hdf5.h>

#include "formats/base/status.h"

void ft_hdf5_lock(void);
void ft_hdf5_unlock(void);

/* Opens a file for reading; negative if HDF5 cannot. Errors are not printed. */
hid_t ft_hdf5_input_open(const char *path);

/* Calls `attempt` in a child process, which then exits. FT_ERROR_DATA if it crashed or took too
 * long, else FT_OK, whatever `attempt` found. The caller holds the lock, and no other thread of
 * the process is running: the child would inherit their locks, but not the threads that release
 * them. */
int ft_hdf5_input_try(const char *path, void (*attempt)(void *context), void *context,
                      struct ft_diag *diag);
/* The same, but once per unchanged file: later calls return the first result, and may come from any
 * thread. */
int ft_hdf5_input_try_once(const char *path, void (*attempt)(void *context), void *context,
                           struct ft_diag *diag);

#endif
