/*
 * A word of a command as a shell takes it: in quotes where it needs them; and a command of
 * foretrace as it was typed.
 */
#ifndef FT_PREDICT_COMMANDS_SHELL_WORD_H
#define FT_PREDICT_COMMANDS_SHELL_WORD_H

#include <stdio.h>

#include "formats/cli/options.h"

void ft_print_shell_word(const char *word, FILE *stream);
/* With its options in the order of its table, but for those that results do not depend on: --quiet,
 * --force, --sources. The caller frees the text; NULL: out of memory. */
char *ft_command_text(const struct ft_command *command, const struct ft_arguments *arguments);

#endif
