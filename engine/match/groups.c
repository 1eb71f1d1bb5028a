/*
 * 1. Groups with the same code (group_code.h).
 * 2. Scopes that match each other, directly or through others, are one location; several may be, if
 *    a routine was inlined at several calls. In each location, one key after the other from strict
 *    to lax (passes). If a strict key is as frequent on both sides, its groups are paired in order.
 *    By lax keys each remaining group gets the most similar one of the other side, which others may
 *    get too: a remainder loop's group is that of its main loop.
 * 3. Groups at the same position of routines with the same name and instructions.
 * 4. Groups of the same line anywhere in the module.
 * Groups that touch different data never match. In this order below: locations, data, keys, pairs,
 * passes.
 */
#include "engine/match/groups.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/match/data.h"
#include "engine/match/group_code.h"
#include "engine/match/keys.h"
#include "engine/match/modules.h"

struct matcher {
    const struct ft_group_locations *sides; /* [2] */
    struct ft_matching made;
    uint32_t *modules[2];    /* [module]: that of the other side, or FT_NO_MODULE */
    uint32_t *data[2];       /* [name]: the same number for the same data */
    uint32_t *location[2];   /* [scope]: the same number for what matches */
    enum ft_match_kind kind; /* of the pass */
};

static const struct ft_group_location *location_of(const struct matcher *matcher, unsigned side,
                                                   uint32_t group)
{
    return &matcher->sides[side].items[group];
}

static bool is_matched(const struct matcher *matcher, unsigned side, uint32_t group)
{
    return matcher->made.of[side][group].kind != FT_MATCH_NONE;
}

/* ---- locations ---- */

static uint32_t root_of(uint32_t *joined, uint32_t node)
{
    while (joined[node] != node)
        node = joined[node] = joined[joined[node]];
    return node;
}

static bool number_locations(struct matcher *matcher, const struct ft_matching *scopes)
{
    size_t counts[2];
    for (unsigned side = 0; side < 2; side++)
        counts[side] = matcher->sides[side].scopes->scopes->scope_count;
    uint32_t *joined = calloc(counts[0] + counts[1] + 1, sizeof *joined);
    for (uint32_t i = 0; joined && i < counts[0] + counts[1]; i++)
        joined[i] = i;
    for (unsigned side = 0; joined && side < 2; side++)
        for (uint32_t i = 0; i < counts[side]; i++) {
            const struct ft_match *match = &scopes->of[side][i];
            const uint32_t location_here = i + (side ? (uint32_t)counts[0] : 0);
            const uint32_t there = match->item + (side ? 0 : (uint32_t)counts[0]);
            if (match->kind != FT_MATCH_NONE)
                joined[root_of(joined, location_here)] = root_of(joined, there);
        }
    for (unsigned side = 0; joined && side < 2; side++) {
        matcher->location[side] = malloc((counts[side] + 1) * sizeof *matcher->location[side]);
        for (uint32_t i = 0; matcher->location[side] && i < counts[side]; i++)
            matcher->location[side][i] = root_of(joined, i + (side ? (uint32_t)counts[0] : 0));
    }
    free(joined);
    return matcher->location[0] && matcher->location[1];
}

/* ---- data ---- */

static int compare_numbers(const void *left, const void *right)
{
    const uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
    return (a > b) - (a < b);
}

/* "3,17": the data of a group as a text, "" where none has a name; NULL without memory. */
static char *data_text(const struct matcher *matcher, unsigned side, uint32_t group)
{
    const struct ft_data_of_groups *data = matcher->sides[side].data;
    const uint32_t first = data->first[group], count = data->first[group + 1] - first;
    uint32_t *numbers = calloc(count + (size_t)1, sizeof *numbers);
    char *text = malloc(11 * (size_t)count + 1);
    size_t bytes = 0;
    if (numbers && text) {
        for (uint32_t i = 0; i < count; i++)
            numbers[i] = matcher->data[side][data->objects[first + i]];
        qsort(numbers, count, sizeof *numbers, compare_numbers);
        text[0] = 0;
        for (uint32_t i = 0; i < count; i++)
            bytes += (size_t)sprintf(text + bytes, i ? ",%" PRIu32 : "%" PRIu32, numbers[i]);
    }
    bool complete = numbers && text;
    free(numbers);
    if (complete)
        return text;
    free(text);
    return NULL;
}

enum alike { ALIKE_NOT, ALIKE_UNKNOWN, ALIKE_PARTLY, ALIKE_WHOLLY };

/* Whether groups of both sides may touch the same data. */
static enum alike compare_data(const struct matcher *matcher, uint32_t a, uint32_t b)
{
    const struct ft_data_of_groups *left = matcher->sides[0].data, *right = matcher->sides[1].data;
    uint32_t common = 0;
    const uint32_t left_count = left->first[a + 1] - left->first[a];
    const uint32_t right_count = right->first[b + 1] - right->first[b];
    for (uint32_t i = 0; i < left_count; i++)
        for (uint32_t j = 0; j < right_count; j++)
            common += matcher->data[0][left->objects[left->first[a] + i]] ==
                      matcher->data[1][right->objects[right->first[b] + j]];
    if (left_count == right_count && common == left_count)
        return ALIKE_WHOLLY;
    if (left_count == 0 || right_count == 0)
        return ALIKE_UNKNOWN;
    return common ? ALIKE_PARTLY : ALIKE_NOT;
}

/* ---- keys ---- */

/* Text of the key of a group on one of its lines, malloc'ed; *ret_text stays NULL where it has
 * none. Negative: out of memory. */
typedef int key_maker(const struct matcher *matcher, unsigned side, uint32_t group,
                      const struct ft_group_line *line, char **ret_text);

/* Of a line, data and kinds; and of strides, or whichever. Without a line, of the scope. */
static int print_key(const struct matcher *matcher, unsigned side, uint32_t group,
                     const struct ft_group_line *line, const char *strides, char **ret_text)
{
    const struct ft_group_location *location = location_of(matcher, side, group);
    char *data = data_text(matcher, side, group);
    int status =
        data ? asprintf(ret_text, "%" PRIu32 " %u %u %s:%d%" PRIu32 " [%s]%s",
                        matcher->location[side][location->scope], location->storage,
                        location->kinds, line->file, line->is_relative, line->line, data, strides)
             : -1;
    free(data);
    return status;
}

static int strides_key(const struct matcher *matcher, unsigned side, uint32_t group,
                       const struct ft_group_line *line, char **ret_text)
{
    return print_key(matcher, side, group, line, location_of(matcher, side, group)->strides,
                     ret_text);
}

static int any_strides_key(const struct matcher *matcher, unsigned side, uint32_t group,
                           const struct ft_group_line *line, char **ret_text)
{
    return print_key(matcher, side, group, line, "", ret_text);
}

static int line_key(const struct matcher *matcher, unsigned side, uint32_t group,
                    const struct ft_group_line *line, char **ret_text)
{
    const struct ft_group_location *location = location_of(matcher, side, group);
    if (!line->line && !line->is_relative)
        return 0;
    return asprintf(ret_text, "%" PRIu32 " %u %s:%d%" PRIu32,
                    matcher->location[side][location->scope], location->storage, line->file,
                    line->is_relative, line->line);
}

/* Of a group that moves, and touches data with a name; on whatever line. */
static int shifted_key(const struct matcher *matcher, unsigned side, uint32_t group,
                       const struct ft_group_line *line, char **ret_text)
{
    (void)line;
    const struct ft_group_location *location = location_of(matcher, side, group);
    char *data = data_text(matcher, side, group);
    int status = !data ? -1 : 0;
    if (data && *data && *location->strides)
        status =
            asprintf(ret_text, "%" PRIu32 " %u %u [%s]%s", matcher->location[side][location->scope],
                     location->storage, location->kinds, data, location->strides);
    free(data);
    return status;
}

static int moved_key(const struct matcher *matcher, unsigned side, uint32_t group,
                     const struct ft_group_line *line, char **ret_text)
{
    const struct ft_group_location *location = location_of(matcher, side, group);
    const uint32_t module = matcher->sides[side].scopes->scopes->scopes[location->scope].module;
    if (!line->source_line || module == FT_NO_MODULE ||
        matcher->modules[side][module] == FT_NO_MODULE)
        return 0;
    return asprintf(ret_text, "%" PRIu32 " %u %s:%" PRIu32,
                    side ? matcher->modules[1][module] : module, location->storage,
                    line->source_file, line->source_line);
}

/* ---- pairs ---- */

static void set_match(struct matcher *matcher, unsigned side, uint32_t group, uint32_t there)
{
    matcher->made.of[side][group] = (struct ft_match){there, (uint8_t)matcher->kind};
}

/* Keys are in the order of the code. */
static uint32_t keyed_group(const struct matcher *matcher, unsigned side,
                            const struct ft_match_key *key)
{
    return matcher->sides[side].accesses[key->item].group;
}

static void pair_in_order(void *context, const struct ft_match_key *const runs[2],
                          const size_t counts[2])
{
    struct matcher *matcher = context;
    for (size_t i = 0; counts[0] == counts[1] && i < counts[0]; i++) {
        const uint32_t pair[2] = {keyed_group(matcher, 0, &runs[0][i]),
                                  keyed_group(matcher, 1, &runs[1][i])};
        set_match(matcher, 0, pair[0], pair[1]);
        set_match(matcher, 1, pair[1], pair[0]);
    }
}

/* How similar two groups are; 0: they cannot be the same. */
static unsigned likeness(const struct matcher *matcher, unsigned side, uint32_t group,
                         uint32_t there)
{
    const struct ft_group_location *location_here = location_of(matcher, side, group);
    const struct ft_group_location *other = location_of(matcher, !side, there);
    enum alike data =
        side ? compare_data(matcher, there, group) : compare_data(matcher, group, there);
    return data == ALIKE_NOT || (location_here->kinds & other->kinds) == 0
               ? 0
               : 1 + 4 * (unsigned)data + 2 * (location_here->kinds == other->kinds) +
                     (strcmp(location_here->strides, other->strides) == 0);
}

/* Whether some group of a run moves by these strides. */
static bool has_strides(const struct matcher *matcher, unsigned side,
                        const struct ft_match_key *run, size_t count, const char *strides)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(location_of(matcher, side, keyed_group(matcher, side, &run[i]))->strides,
                   strides) == 0)
            return true;
    return false;
}

/* Of equally similar ones, one whose strides this side does not have; then the heaviest. The runs
 * include those already matched. */
static void pair_with_likest(void *context, const struct ft_match_key *const runs[2],
                             const size_t counts[2])
{
    struct matcher *matcher = context;
    for (unsigned side = 0; side < 2; side++)
        for (size_t i = 0; i < counts[side]; i++) {
            const uint32_t group = keyed_group(matcher, side, &runs[side][i]);
            unsigned most = 0;
            uint64_t accesses = 0;
            uint32_t best = FT_NO_MATCH;
            if (is_matched(matcher, side, group))
                continue;
            for (size_t j = 0; j < counts[!side]; j++) {
                const uint32_t there = keyed_group(matcher, !side, &runs[!side][j]);
                const struct ft_group_location *location = location_of(matcher, !side, there);
                unsigned like = 2 * likeness(matcher, side, group, there);
                like += like &&
                        !has_strides(matcher, side, runs[side], counts[side], location->strides);
                if (like > most || (like && like == most && location->accesses > accesses)) {
                    best = there;
                    most = like;
                    accesses = location->accesses;
                }
            }
            if (best != FT_NO_MATCH)
                set_match(matcher, side, group, best);
        }
}

struct pass {
    key_maker *make;
    ft_key_pairer *pair;
    enum ft_match_kind kind;
    bool takes_all; /* not only what is not matched yet */
    bool all_lines; /* not only the one with most accesses */
};
static const struct pass passes[] = {
    {strides_key, pair_in_order, FT_MATCH_STRIDES, false, false},
    {any_strides_key, pair_in_order, FT_MATCH_LINE, false, false},
    {line_key, pair_with_likest, FT_MATCH_LINE, true, false},
    {line_key, pair_with_likest, FT_MATCH_LINE, true, true},
    {shifted_key, pair_in_order, FT_MATCH_SHIFTED, false, false},
};
static const struct pass moved_passes[] = {
    {moved_key, pair_with_likest, FT_MATCH_MOVED, true, false},
    {moved_key, pair_with_likest, FT_MATCH_MOVED, true, true},
};

/* Groups that were not executed in full have no accesses, and no match. */
static bool make_keys(const struct matcher *matcher, unsigned side, const struct pass *pass,
                      struct ft_match_keys *keys)
{
    const struct ft_group_locations *from = &matcher->sides[side];
    keys->items = calloc(from->line_count + 1, sizeof *keys->items);
    for (uint32_t g = 0; keys->items && g < from->count; g++) {
        const struct ft_group_location *location = &from->items[g];
        if (!location->accesses || (is_matched(matcher, side, g) && !pass->takes_all))
            continue;
        for (uint32_t l = 0; l < (pass->all_lines ? location->line_count : 1); l++) {
            char *text = NULL;
            if (pass->make(matcher, side, g, &from->lines[location->first_line + l], &text) < 0)
                return false;
            if (text)
                keys->items[keys->count++] = (struct ft_match_key){text, location->first_access};
        }
    }
    return keys->items != NULL;
}

static bool match_by_key(struct matcher *matcher, const struct pass *pass)
{
    struct ft_match_keys keys[2] = {0};
    bool complete = make_keys(matcher, 0, pass, &keys[0]) && make_keys(matcher, 1, pass, &keys[1]);
    matcher->kind = pass->kind;
    if (complete)
        ft_keys_match(keys, pass->pair, matcher);
    ft_match_keys_fini(&keys[0]);
    ft_match_keys_fini(&keys[1]);
    return complete;
}

static int match_by_keys(struct matcher *matcher, const struct pass *of, size_t count,
                         struct ft_diag *diag)
{
    for (size_t p = 0; p < count; p++)
        if (!match_by_key(matcher, &of[p]))
            return ft_fail_memory(diag, "the groups of two builds");
    return FT_OK;
}

/* ---- all of it ---- */

static bool prepare(struct matcher *matcher, const struct ft_matching *scopes)
{
    bool complete = number_locations(matcher, scopes);
    for (unsigned side = 0; side < 2; side++) {
        const struct ft_group_locations *of = &matcher->sides[side];
        matcher->made.of[side] = calloc(of->count + (size_t)1, sizeof *matcher->made.of[side]);
        matcher->modules[side] =
            calloc(of->scopes->scopes->module_count + 1, sizeof *matcher->modules[side]);
        complete = complete && matcher->made.of[side] && matcher->modules[side];
        for (uint32_t g = 0; complete && g < of->count; g++)
            matcher->made.of[side][g].item = FT_NO_MATCH;
    }
    if (complete)
        ft_modules_match(matcher->sides[0].scopes->scopes, matcher->sides[1].scopes->scopes,
                         matcher->modules);
    return complete;
}

static int match_code(struct matcher *matcher, const struct ft_matching *scopes,
                      enum ft_match_kind kind, struct ft_diag *diag)
{
    return ft_groups_match_code(matcher->sides, matcher->modules, scopes, kind, &matcher->made,
                                diag);
}

static int match_all(struct matcher *matcher, const struct ft_matching *scopes,
                     struct ft_diag *diag)
{
    const struct ft_data_of_groups *const data[2] = {matcher->sides[0].data,
                                                     matcher->sides[1].data};
    FT_TRY(ft_data_match(data, matcher->data, diag));
    FT_TRY(match_code(matcher, scopes, FT_MATCH_CODE, diag));
    FT_TRY(match_by_keys(matcher, passes, sizeof passes / sizeof *passes, diag));
    FT_TRY(match_code(matcher, scopes, FT_MATCH_SHAPE, diag));
    return match_by_keys(matcher, moved_passes, sizeof moved_passes / sizeof *moved_passes, diag);
}

int ft_groups_match(const struct ft_group_locations sides[2], const struct ft_matching *scopes,
                    struct ft_matching *ret_matching, struct ft_diag *diag)
{
    struct matcher matcher = {.sides = sides};
    int status = prepare(&matcher, scopes) ? match_all(&matcher, scopes, diag)
                                           : ft_fail_memory(diag, "the groups of two builds");
    for (unsigned side = 0; side < 2; side++) {
        free(matcher.modules[side]);
        free(matcher.data[side]);
        free(matcher.location[side]);
    }
    if (status)
        ft_matching_fini(&matcher.made);
    else
        *ret_matching = matcher.made;
    return status;
}
