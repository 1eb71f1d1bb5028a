/*
 * A command's words with {NAME} in them in the place of values.
 */
#ifndef FT_PREDICT_PLAN_COMMAND_WORDS_H
#define FT_PREDICT_PLAN_COMMAND_WORDS_H

#include <stdbool.h>
#include <stddef.h>

#include "formats/base/status.h"

struct ft_word_value {
    const char *name;
    double value;
    const char *text; /* in the place of the value, or NULL */
};

/* Whether {name} is in any word; words end with NULL, as all here. */
bool ft_command_words_have(char *const *words, const char *name);
/* The words with all values filled in, to be given to ft_command_words_free; NULL without memory.
 */
char **ft_command_words_fill(char *const *words, const struct ft_word_value *values, size_t count);
void ft_command_words_free(char **words);

/* The words of a command in one text, as a shell splits it: at blanks that are not quoted by '', ""
 * or a backslash; nothing else is special. FT_ERROR_USAGE where there is no word, or a quote does
 * not end. */
int ft_command_words_split(const char *text, char ***ret_words, struct ft_diag *diag);

#endif
