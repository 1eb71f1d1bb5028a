#include "predict/plan/command_words.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* "{N}" in a word, or NULL. */
static const char *find_name(const char *word, const char *name)
{
    size_t length = strlen(name);
    for (const char *at = strchr(word, '{'); at; at = strchr(at + 1, '{'))
        if (strncmp(at + 1, name, length) == 0 && at[1 + length] == '}')
            return at;
    return NULL;
}

bool ft_command_words_have(char *const *words, const char *name)
{
    for (size_t i = 0; words[i]; i++)
        if (find_name(words[i], name))
            return true;
    return false;
}

/* The word with all places of one name replaced. */
static char *fill_word(const char *word, const struct ft_word_value *value)
{
    char *text = NULL;
    size_t bytes = 0;
    FILE *stream = open_memstream(&text, &bytes);
    if (!stream)
        return NULL;
    for (const char *at; (at = find_name(word, value->name)); word = at + strlen(value->name) + 2)
        fprintf(stream, "%.*s%.15g", (int)(at - word), word, value->value);
    fputs(word, stream);
    if (fclose(stream) == 0)
        return text;
    free(text);
    return NULL;
}

/* With all values. */
static char *fill_all(const char *word, const struct ft_word_value *values, size_t count)
{
    char *text = strdup(word);
    for (size_t i = 0; text && i < count; i++) {
        char *filled = fill_word(text, &values[i]);
        free(text);
        text = filled;
    }
    return text;
}

char **ft_command_words_fill(char *const *words, const struct ft_word_value *values, size_t count)
{
    size_t length = 0;
    while (words[length])
        length++;
    char **filled = calloc(length + 1, sizeof(char *));
    for (size_t i = 0; filled && i < length; i++)
        if (!(filled[i] = fill_all(words[i], values, count))) {
            ft_command_words_free(filled);
            return NULL;
        }
    return filled;
}

void ft_command_words_free(char **words)
{
    for (size_t i = 0; words && words[i]; i++)
        free(words[i]);
    free((void *)words);
}
