/*
 * Reading HDF5 files that may be damaged or hostile: opened without file locks, which some file
 * systems refuse, and tried in a child process first, because HDF5 itself reads outside its memory
 * or never ends on some files. Later reads are of files that HDF5 has read once without harm.
 *
 * HDF5 is used by one thread at a time: whoever reads holds the lock.
 */
#ifndef FT_FORMATS_BASE_HDF5_INPUT_H
#define FT_FORMATS_BASE_HDF5_INPUT_H

#include <hdf5.h>

#include "formats/base/status.h"

void ft_hdf5_lock(void);
void ft_hdf5_unlock(void);

/* Opens a file to read it; negative where HDF5 cannot. Errors are not printed. */
hid_t ft_hdf5_input_open(const char *path);

/* Calls `attempt` in a child process, whose memory is lost with it. FT_ERROR_DATA where it crashed
 * or took too long, else FT_OK, whatever it gave. The caller holds the lock, and no other thread
 * of the process is at work: the child inherits the locks that others hold, not the others. */
int ft_hdf5_input_try(const char *path, void (*attempt)(void *context), void *context,
                      struct ft_diag *diag);
/* The same, once for a file that does not change: later calls give what it came to then, and may
 * come from any thread. */
int ft_hdf5_input_try_once(const char *path, void (*attempt)(void *context), void *context,
                           struct ft_diag *diag);

#endif
