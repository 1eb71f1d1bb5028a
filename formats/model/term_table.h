/*
 * The terms of a basis as a table of texts. Reading adds them to a basis that has its parameters.
 */
#ifndef FT_FORMATS_MODEL_TERM_TABLE_H
#define FT_FORMATS_MODEL_TERM_TABLE_H

#include <hdf5.h>

#include "formats/base/status.h"
#include "formats/model/basis.h"

int ft_term_table_write(hid_t group, const char *name, const struct ft_basis *basis,
                        struct ft_diag *diag);
int ft_term_table_read(hid_t group, const char *name, struct ft_basis *basis, struct ft_diag *diag);

#endif
