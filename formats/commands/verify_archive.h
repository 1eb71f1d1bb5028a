/*
 * What `verify` says of an archive: its files against their SHA-256 sums.
 */
#ifndef FT_FORMATS_COMMANDS_VERIFY_ARCHIVE_H
#define FT_FORMATS_COMMANDS_VERIFY_ARCHIVE_H

#include <stdbool.h>

#include "formats/base/status.h"

/* Prints a line, or one for each fault, or all as JSON; faults are FT_ERROR_DATA. */
int ft_verify_archive(const char *path, bool as_json, struct ft_diag *diag);

#endif
