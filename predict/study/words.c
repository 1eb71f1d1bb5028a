#include "predict/study/words.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "formats/base/array.h"

void ft_words_add(struct ft_words *words, const char *format, ...)
{
    char *text = NULL;
    va_list list;
    va_start(list, format);
    const int length = vasprintf(&text, format, list);
    va_end(list);
    if (length < 0 || !FT_RESERVE(words->items, words->capacity, words->count + 2)) {
        words->failed = true;
        if (length >= 0)
            free(text);
        return;
    }
    words->items[words->count++] = text;
    words->items[words->count] = NULL;
}

void ft_words_add_all(struct ft_words *words, char *const *items)
{
    for (; items && *items; items++)
        ft_words_add(words, "%s", *items);
}

bool ft_words_have(const struct ft_words *words, const char *text)
{
    for (size_t i = 0; i < words->count; i++)
        if (strcmp(words->items[i], text) == 0)
            return true;
    return false;
}

bool ft_words_equal(const struct ft_words *left, const struct ft_words *right)
{
    bool equal = left->count == right->count;
    for (size_t i = 0; equal && i < left->count; i++)
        equal = strcmp(left->items[i], right->items[i]) == 0;
    return equal;
}

void ft_words_fini(struct ft_words *words)
{
    for (size_t i = 0; i < words->count; i++)
        free(words->items[i]);
    free((void *)words->items);
    *words = (struct ft_words){0};
}
