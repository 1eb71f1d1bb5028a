/*
 * `verify` of a file of models: all of it is read, which checks the checksum of every table and
 * that the tables fit together.
 */
#ifndef FT_FORMATS_COMMANDS_VERIFY_MODEL_H
#define FT_FORMATS_COMMANDS_VERIFY_MODEL_H

#include <stdbool.h>

#include "formats/base/status.h"

/* Prints what is there. */
int ft_verify_model(const char *path, bool as_json, struct ft_diag *diag);

#endif
