/*
 * A word of a command as a shell takes it: in quotes where it needs them.
 */
#ifndef FT_PREDICT_COMMANDS_SHELL_WORD_H
#define FT_PREDICT_COMMANDS_SHELL_WORD_H

#include <stdio.h>

void ft_print_shell_word(const char *word, FILE *stream);

#endif
