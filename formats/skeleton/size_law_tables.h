/*
 * Laws of the size (size_law.h) in HDF5. What they have besides powers is a table each of
 * quotients, logarithms, what differs where these are odd, and steps, by the row of the law.
 */
#ifndef FT_FORMATS_SKELETON_SIZE_LAW_TABLES_H
#define FT_FORMATS_SKELETON_SIZE_LAW_TABLES_H

#include <hdf5.h>
#include <stddef.h>

#include "formats/base/status.h"
#include "formats/skeleton/sized_skeleton.h"

/* laws: `stride` bytes from each other. names: of the tables; by_level: the last two are written,
 * which versions of models before 11 have not. */
int ft_size_laws_write(hid_t group, const char *const names[4], const struct ft_size_law *laws,
                       size_t stride, size_t count, bool by_level, struct ft_diag *diag);
/* Tables that are missing have nothing. */
int ft_size_laws_read(hid_t group, const char *const names[4], struct ft_size_law *laws,
                      size_t stride, size_t count, struct ft_diag *diag);

/* Of the numbers of a nest: the table `laws`, and those above. by_level: likewise. */
int ft_sized_numbers_write(hid_t group, const struct ft_sized_number *numbers, size_t count,
                           bool by_level, struct ft_diag *diag);
/* ret_numbers: to be freed, also after a failure. */
int ft_sized_numbers_read(hid_t group, const struct ft_nest *nest,
                          struct ft_sized_number **ret_numbers, size_t *ret_count,
                          struct ft_diag *diag);

bool ft_law_powers_are_finite(const double powers[FT_SIZED_COEFFICIENTS]);

#endif
