/*
 * Joins two builds by text keys: keys of both sides are sorted, and those with the same text passed
 * to a callback that pairs them.
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

/* What has one key, in the order of items: counts on both sides, none 0. */
typedef void ft_key_pairer(void *context, const struct ft_match_key *const runs[2],
                           const size_t counts[2]);
void ft_keys_match(struct ft_match_keys sides[2], ft_key_pairer *pair, void *context);

#endif
