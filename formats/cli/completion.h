/*
 * Completion of command lines in shells: scripts made from the tables of options.h, so that they
 * know what the parser knows. Words of options that name files are completed to files, machines to
 * what 'foretrace machine list' has.
 */
#ifndef FT_FORMATS_CLI_COMPLETION_H
#define FT_FORMATS_CLI_COMPLETION_H

#include <stdio.h>

#include "formats/cli/options.h"

/* Writes the script for "bash", "zsh" or "fish"; FT_ERROR_USAGE for another shell. */
int ft_completion_write(FILE *stream, const char *shell, const struct ft_command *const *commands,
                        size_t count, struct ft_diag *diag);

#endif
