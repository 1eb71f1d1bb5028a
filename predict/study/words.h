/*
 * A list of texts that grows, NULL behind the last, as commands are made of. An allocation that
 * fails is kept in `failed`, so that callers check once; zeros are an empty list. Owned texts.
 */
#ifndef FT_PREDICT_STUDY_WORDS_H
#define FT_PREDICT_STUDY_WORDS_H

#include <stdbool.h>
#include <stddef.h>

struct ft_words {
    char **items; /* NULL while the list is empty */
    size_t count, capacity;
    bool failed;
};

__attribute__((format(printf, 2, 3))) void ft_words_add(struct ft_words *words, const char *format,
                                                        ...);
/* All up to a NULL; items may be NULL. */
void ft_words_add_all(struct ft_words *words, char *const *items);
bool ft_words_have(const struct ft_words *words, const char *text);
bool ft_words_equal(const struct ft_words *left, const struct ft_words *right);
void ft_words_fini(struct ft_words *words);

#endif
