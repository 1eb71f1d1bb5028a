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
        if (value->text)
            fprintf(stream, "%.*s%s", (int)(at - word), word, value->text);
        else
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

/* ---- a text ---- */

/* Copies a word without its quotes, and advances *at past it. False where a quote does not end. */
static bool take_word(const char **at, char *word)
{
    char quote = 0;
    const char *from = *at;
    for (; *from && (quote || !strchr(" \t\n", *from)); from++) {
        if (quote ? *from == quote : *from == '\'' || *from == '"')
            quote = quote ? 0 : *from;
        else if (*from == '\\' && quote != '\'' && from[1])
            *word++ = *++from;
        else
            *word++ = *from;
    }
    *word = 0;
    *at = from;
    return quote == 0;
}

int ft_command_words_split(const char *text, char ***ret_words, struct ft_diag *diag)
{
    const size_t room = strlen(text) + 1;
    char **words = calloc(room / 2 + 2, sizeof(char *)), *word = malloc(room);
    const char *at = text + strspn(text, " \t\n");
    int status = words && word ? FT_OK : ft_fail_memory(diag, "a command");
    for (size_t count = 0; status == FT_OK && *at; at += strspn(at, " \t\n")) {
        if (!take_word(&at, word))
            status = ft_fail(diag, FT_ERROR_USAGE, "%s: a quote does not end", text);
        else if (!(words[count++] = strdup(word)))
            status = ft_fail_memory(diag, "a command");
    }
    if (status == FT_OK && !words[0])
        status = ft_fail(diag, FT_ERROR_USAGE, "an empty command");
    free(word);
    if (status == FT_OK)
        *ret_words = words;
    else
        ft_command_words_free(words);
    return status;
}
