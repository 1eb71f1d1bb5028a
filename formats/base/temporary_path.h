/*
 * Where temporary files and folders are: below $TMPDIR, else /tmp.
 */
#ifndef FT_FORMATS_BASE_TEMPORARY_PATH_H
#define FT_FORMATS_BASE_TEMPORARY_PATH_H

#include <stddef.h>

#include "formats/base/status.h"

/* FOLDER/foretrace-NAME-XXXXXX, as mkstemp and mkdtemp want it. Fails where that is too long. */
int ft_temporary_path(char *path, size_t bytes, const char *name, struct ft_diag *diag);

#endif
