#include "engine/match/keys.h"

#include <stdlib.h>
#include <string.h>

static int compare_keys(const void *left, const void *right)
{
    const struct ft_match_key *a = left, *b = right;
    int order = strcmp(a->text, b->text);
    return order ? order : (a->item > b->item) - (a->item < b->item);
}

static size_t run_length(const struct ft_match_key *keys, size_t count)
{
    size_t length = 1;
    while (length < count && strcmp(keys[length].text, keys->text) == 0)
        length++;
    return length;
}

void ft_keys_match(struct ft_match_keys sides[2], ft_key_pairer *pair, void *context)
{
    size_t at[2] = {0};
    for (unsigned side = 0; side < 2; side++)
        if (sides[side].count > 1)
            qsort(sides[side].items, sides[side].count, sizeof *sides[side].items, compare_keys);
    while (at[0] < sides[0].count && at[1] < sides[1].count) {
        const struct ft_match_key *const runs[2] = {sides[0].items + at[0], sides[1].items + at[1]};
        const size_t lengths[2] = {run_length(runs[0], sides[0].count - at[0]),
                                   run_length(runs[1], sides[1].count - at[1])};
        int order = strcmp(runs[0]->text, runs[1]->text);
        if (order == 0)
            pair(context, runs, lengths);
        at[0] += order <= 0 ? lengths[0] : 0;
        at[1] += order >= 0 ? lengths[1] : 0;
    }
}

void ft_match_keys_fini(struct ft_match_keys *keys)
{
    for (size_t i = 0; i < keys->count; i++)
        free(keys->items[i].text);
    free(keys->items);
    *keys = (struct ft_match_keys){0};
}
