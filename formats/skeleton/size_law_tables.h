/*
 * What laws (size_law.h) have besides powers of the size, in HDF5: a table each of quotients,
 * logarithms, what differs where these are odd, and steps, by the row of the law.
 */
#ifndef FT_FORMATS_SKELETON_SIZE_LAW_TABLES_H
#define FT_FORMATS_SKELETON_SIZE_LAW_TABLES_H

#include <hdf5.h>
#include <stddef.h>

#include "formats/base/status.h"
#include "formats/skeleton/size_law.h"

/* laws: `stride` bytes from each other. names: of the tables; by_level: the last two are written,
 * which versions of models before 11 have not. */
int ft_size_laws_write(hid_t group, const char *const names[4], const struct ft_size_law *laws,
                       size_t stride, size_t count, bool by_level, struct ft_diag *diag);
/* Tables that are missing have nothing. */
int ft_size_laws_read(hid_t group, const char *const names[4], struct ft_size_law *laws,
                      size_t stride, size_t count, struct ft_diag *diag);

#endif
