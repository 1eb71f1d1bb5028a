/*
 * Joins two builds by text keys: sorts the keys of both sides and passes those with equal text to a
 * callback, which pairs their items.
 */
#ifndef FT_ENGINE_MATCH_KEYS_H
#define FT_ENGINE_MATCH_KEYS_H

#include <stddef.h>
#include <stdint.h>

struct ft_match_key {
    char *text;
    uint32_t item;
};

struct ft_match_keys {
    struct ft_match_key *items;
    size_t count;
};
void ft_match_keys_fini(struct ft_match_keys *keys);

/* All items with one key, in order; counts of both sides, neither 0. */
typedef void ft_key_pairer(void *context, const struct ft_match_key *const runs[2],
                           const size_t counts[2]);
void ft_keys_match(struct ft_match_keys sides[2], ft_key_pairer *pair, void *context);

#endif
