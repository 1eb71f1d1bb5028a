/*
 * A word of a command as a shell takes it: in quotes where it needs them; and a command of
 * foretrace, or its options, as they were typed.
 */
#ifndef FT_FORMATS_CLI_SHELL_WORD_H
#define FT_FORMATS_CLI_SHELL_WORD_H

#include <stdio.h>

#include "formats/cli/options.h"

void ft_print_shell_word(const char *word, FILE *stream);
/* The options that were given, in the order of the command's table, with blanks between them; but
 * for those whose names are in left_out, up to a NULL. The caller frees the text; NULL: out of
 * memory. */
char *ft_options_text(const struct ft_command *command, const struct ft_arguments *arguments,
                      const char *const *left_out);
/* With its options in the order of its table, but for those that results do not depend on: --quiet,
 * --force, --sources. The caller frees the text; NULL: out of memory. */
char *ft_command_text(const struct ft_command *command, const struct ft_arguments *arguments);

#endif
