#include "engine/match/data.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "engine/match/keys.h"

#define NO_NUMBER UINT32_MAX

struct matcher {
    const struct ft_data_of_groups *const *sides;
    uint32_t *by_name[2]; /* names in their order, where numbers in them count as such */
    uint32_t *numbers[2];
    uint32_t next;
};

static int compare_names(const void *left, const void *right, void *names)
{
    const uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
    int order = strverscmp(((char *const *)names)[a], ((char *const *)names)[b]);
    return order ? order : (a > b) - (a < b);
}

/* "heap malloc: read.constprop.0 (io.c:12)" -> "heap malloc: read", "variable counts.0" ->
 * "variable counts". Parentheses without a colon are of arguments. */
static char *plain_name(const char *name)
{
    char *plain = malloc(strlen(name) + 1), *to = plain;
    if (!plain)
        return NULL;
    while (*name) {
        const char *end = *name == '(' ? strchr(name, ')') : NULL;
        const char *colon = end ? memchr(name, ':', (size_t)(end - name)) : NULL;
        if (colon && isdigit((unsigned char)colon[1]))
            name = end + 1;
        else if (*name == '.')
            name += strcspn(name, " ,:<()");
        else
            *to++ = *name++;
    }
    *to = 0;
    return plain;
}

/* Items are places in by_name. */
static bool make_keys(const struct matcher *matcher, unsigned side, bool plain,
                      struct ft_match_keys *keys)
{
    const struct ft_data_of_groups *data = matcher->sides[side];
    keys->items = calloc(data->name_count + 1, sizeof *keys->items);
    for (uint32_t i = 0; keys->items && i < data->name_count; i++) {
        const uint32_t name = matcher->by_name[side][i];
        if (matcher->numbers[side][name] != NO_NUMBER)
            continue;
        char *text = plain ? plain_name(data->names[name]) : strdup(data->names[name]);
        if (!text)
            return false;
        keys->items[keys->count++] = (struct ft_match_key){text, i};
    }
    return keys->items != NULL;
}

static void pair_in_order(void *context, const struct ft_match_key *const runs[2],
                          const size_t counts[2])
{
    struct matcher *matcher = context;
    for (size_t i = 0; counts[0] == counts[1] && i < counts[0]; i++, matcher->next++)
        for (unsigned side = 0; side < 2; side++)
            matcher->numbers[side][matcher->by_name[side][runs[side][i].item]] = matcher->next;
}

static bool match_by_name(struct matcher *matcher, bool plain)
{
    struct ft_match_keys keys[2] = {0};
    bool complete =
        make_keys(matcher, 0, plain, &keys[0]) && make_keys(matcher, 1, plain, &keys[1]);
    if (complete)
        ft_keys_match(keys, pair_in_order, matcher);
    ft_match_keys_fini(&keys[0]);
    ft_match_keys_fini(&keys[1]);
    return complete;
}

static bool prepare(struct matcher *matcher)
{
    for (unsigned side = 0; side < 2; side++) {
        const struct ft_data_of_groups *data = matcher->sides[side];
        uint32_t *numbers = malloc((data->name_count + 1) * sizeof *numbers);
        uint32_t *by_name = malloc((data->name_count + 1) * sizeof *by_name);
        matcher->numbers[side] = numbers;
        matcher->by_name[side] = by_name;
        if (!numbers || !by_name)
            return false;
        for (uint32_t i = 0; i < data->name_count; i++) {
            numbers[i] = NO_NUMBER;
            by_name[i] = i;
        }
        if (data->name_count)
            qsort_r(by_name, data->name_count, sizeof *by_name, compare_names, data->names);
    }
    return true;
}

int ft_data_match(const struct ft_data_of_groups *const sides[2], uint32_t *ret_numbers[2],
                  struct ft_diag *diag)
{
    struct matcher matcher = {.sides = sides};
    bool complete =
        prepare(&matcher) && match_by_name(&matcher, false) && match_by_name(&matcher, true);
    for (unsigned side = 0; side < 2; side++) {
        for (size_t i = 0; complete && i < sides[side]->name_count; i++)
            if (matcher.numbers[side][i] == NO_NUMBER)
                matcher.numbers[side][i] = matcher.next++;
        if (complete)
            ret_numbers[side] = matcher.numbers[side];
        else
            free(matcher.numbers[side]);
        free(matcher.by_name[side]);
    }
    return complete ? FT_OK : ft_fail_memory(diag, "the data of two builds");
}
