/*
 * Both lists are sorted by the routines inlined around a loop, where these were called, file and
 * line. Then the pairs of greatest sum that do not cross, as in comparing texts: best[i][j] is the
 * sum of the loops from i and from j on.
 */
#include "engine/match/loop_alignment.h"

#include <stdlib.h>
#include <string.h>

enum { SCORE_PAIR = 4, SCORE_LINE = 2, SCORE_SHAPE = 1 };

/* By the lines of the calls alone: their files' names are no part of the order. */
static int compare_calls(const struct ft_scopes *scopes, uint32_t left, uint32_t right)
{
    const struct ft_inlined_call *a, *b;
    const size_t counts[2] = {ft_scope_inlined(scopes, left, &a),
                              ft_scope_inlined(scopes, right, &b)};
    for (size_t i = 0; i < counts[0] && i < counts[1]; i++)
        if (a[i].call_line != b[i].call_line)
            return a[i].call_line < b[i].call_line ? -1 : 1;
    return 0;
}

static int compare_locations(const void *left, const void *right, void *context)
{
    const struct ft_scope_locations *locations = context;
    const uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
    const struct ft_scope *scopes = locations->scopes->scopes;
    int order = strcmp(locations->items[a].name, locations->items[b].name);
    if (!order)
        order = compare_calls(locations->scopes, a, b);
    if (!order)
        order = strcmp(locations->items[a].file, locations->items[b].file);
    if (!order)
        order = (scopes[a].first_line > scopes[b].first_line) -
                (scopes[a].first_line < scopes[b].first_line);
    return order ? order : (a > b) - (a < b);
}

static bool is_in_file_of_routine(const struct ft_scope_locations *locations, uint32_t scope)
{
    const struct ft_scope_location *location = &locations->items[scope];
    return strcmp(location->file, locations->items[location->routine].file) == 0;
}

static uint32_t difference(uint32_t a, uint32_t b)
{
    return a > b ? a - b : b - a;
}

static bool has_line(const struct ft_loop_list *list, size_t i)
{
    return list->locations->scopes->scopes[list->scopes[i]].first_line != 0;
}

static bool have_same_shape(const struct ft_loop_list *list, size_t i, size_t j)
{
    const struct ft_scope_location *items = list->locations->items;
    return items[list->scopes[i]].shape == items[list->scopes[j]].shape;
}

/* As many loops have no line and the same shape on both sides: which is which is certain. */
static uint32_t score_without_lines(const struct ft_loop_list lists[2], size_t i, size_t j)
{
    const struct ft_scope_location *left = &lists[0].locations->items[lists[0].scopes[i]];
    const struct ft_scope_location *right = &lists[1].locations->items[lists[1].scopes[j]];
    return !has_line(&lists[0], i) && !has_line(&lists[1], j) && left->shape == right->shape &&
                   lists[0].alike[i] == lists[1].alike[j] && strcmp(left->name, right->name) == 0
               ? SCORE_PAIR + SCORE_SHAPE
               : 0;
}

/* 0: they are not the same; ret_same_line may be NULL. */
static uint32_t score(const struct ft_loop_list lists[2], size_t i, size_t j, bool *ret_same_line)
{
    const uint32_t a = lists[0].scopes[i], b = lists[1].scopes[j];
    const struct ft_scope_location *left = &lists[0].locations->items[a];
    const struct ft_scope_location *right = &lists[1].locations->items[b];
    const uint32_t left_line = lists[0].locations->scopes->scopes[a].first_line;
    const uint32_t right_line = lists[1].locations->scopes->scopes[b].first_line;
    bool same_file =
        strcmp(left->file, right->file) == 0 || (is_in_file_of_routine(lists[0].locations, a) &&
                                                 is_in_file_of_routine(lists[1].locations, b));
    if (!left_line || !right_line)
        return score_without_lines(lists, i, j);
    if (!same_file || strcmp(left->name, right->name) != 0)
        return 0;
    bool same_line = left_line == right_line || left->relative_line == right->relative_line;
    bool same_shape =
        left->shape == right->shape && difference(left->line_count, right->line_count) <= 1;
    if (ret_same_line)
        *ret_same_line = same_line;
    return same_line || same_shape ? SCORE_PAIR + SCORE_LINE * same_line + SCORE_SHAPE * same_shape
                                   : 0;
}

static void fill(const struct ft_loop_list lists[2], uint32_t *best)
{
    const size_t width = lists[1].count + 1;
    for (size_t i = lists[0].count; i-- > 0;)
        for (size_t j = lists[1].count; j-- > 0;) {
            uint32_t *here = &best[i * width + j];
            uint32_t points = score(lists, i, j, NULL);
            uint32_t with = points ? points + here[width + 1] : 0;
            *here = here[1] > here[width] ? here[1] : here[width];
            if (with > *here)
                *here = with;
        }
}

/* Gives how many pairs there are. */
static size_t collect(const struct ft_loop_list lists[2], const uint32_t *best,
                      struct ft_aligned_loops *pairs)
{
    const size_t width = lists[1].count + 1;
    size_t i = 0, j = 0, count = 0;
    while (i < lists[0].count && j < lists[1].count) {
        const uint32_t *here = &best[i * width + j];
        bool same_line = false;
        uint32_t points = score(lists, i, j, &same_line);
        if (points && *here == points + here[width + 1]) {
            pairs[count++] =
                (struct ft_aligned_loops){{lists[0].scopes[i++], lists[1].scopes[j++]}, same_line};
        } else if (*here == here[width]) {
            i++;
        } else {
            j++;
        }
    }
    return count;
}

static bool count_alike(struct ft_loop_list *list)
{
    list->alike = calloc(list->count + 1, sizeof *list->alike);
    for (size_t i = 0; list->alike && i < list->count; i++)
        for (size_t j = 0; !has_line(list, i) && j < list->count; j++)
            list->alike[i] += !has_line(list, j) && have_same_shape(list, i, j);
    return list->alike != NULL;
}

int ft_loops_align(struct ft_loop_list lists[2], struct ft_aligned_loops **ret_pairs,
                   size_t *ret_count, struct ft_diag *diag)
{
    uint32_t *best = calloc((lists[0].count + 1) * (lists[1].count + 1), sizeof *best);
    struct ft_aligned_loops *pairs = calloc(lists[0].count + 1, sizeof *pairs);
    for (size_t i = 0; i < 2; i++)
        if (lists[i].count > 1)
            qsort_r(lists[i].scopes, lists[i].count, sizeof *lists[i].scopes, compare_locations,
                    (void *)lists[i].locations);
    bool complete = best && pairs && count_alike(&lists[0]) && count_alike(&lists[1]);
    if (complete) {
        fill(lists, best);
        *ret_count = collect(lists, best, pairs);
        *ret_pairs = pairs;
    } else {
        free(pairs);
    }
    for (size_t i = 0; i < 2; i++) {
        free(lists[i].alike);
        lists[i].alike = NULL;
    }
    free(best);
    return complete ? FT_OK : ft_fail_memory(diag, "the loops of two builds");
}
