/*
 * The group `threads` of a model in a file: tables `threads` of one row and `shares`; `functions`,
 * that of the number of threads, then three of each share; and for each shared model a group
 * `shared_0`, `shared_1`... with the table `cores`, and with tables as the model has them but for
 * its scopes.
 */
#ifndef FT_FORMATS_MODEL_MODEL_THREADS_TABLES_H
#define FT_FORMATS_MODEL_MODEL_THREADS_TABLES_H

#include <hdf5.h>

#include "formats/model/model_tables.h"

/* Nothing where the traces were of one thread. */
int ft_model_threads_write(hid_t group, const struct ft_model *model, struct ft_diag *diag);
/* Of a model whose scopes and terms have been read. */
int ft_model_threads_read(hid_t group, struct ft_model *model, struct ft_diag *diag);

#endif
