#include "engine/skeleton/iteration_cut.h"

#include <stdlib.h>
#include <string.h>

#include "formats/base/array.h"

/* Activations in an iteration, inside each other; deeper ones are not cut. */
#define OPEN_MAX 64U

void ft_iteration_cut_fini(struct ft_iteration_cut *cut)
{
    free(cut->anchors);
    free(cut->uses);
    *cut = (struct ft_iteration_cut){0};
}

bool ft_iteration_cut_copy(const struct ft_iteration_cut *cut, struct ft_iteration_cut *ret_copy)
{
    struct ft_iteration_cut copy = {malloc((cut->anchor_count + 1) * sizeof *copy.anchors),
                                    cut->anchor_count,
                                    malloc(ft_cut_columns(cut) * sizeof *copy.uses)};
    if (!copy.anchors || !copy.uses) {
        ft_iteration_cut_fini(&copy);
        return false;
    }
    if (cut->anchor_count)
        memcpy(copy.anchors, cut->anchors, cut->anchor_count * sizeof *copy.anchors);
    memcpy(copy.uses, cut->uses, ft_cut_columns(cut) * sizeof *copy.uses);
    *ret_copy = copy;
    return true;
}

/* ---- elements ---- */

void ft_cut_elements_fini(struct ft_cut_elements *elements)
{
    free(elements->elements);
    free(elements->columns);
    *elements = (struct ft_cut_elements){0};
}

static bool add_element(struct ft_cut_elements *elements, const struct ft_cut_element *element)
{
    if (!FT_RESERVE(elements->elements, elements->capacity, elements->count + 1))
        return false;
    elements->elements[elements->count++] = *element;
    return true;
}

/* The first access in what repeats, or its own token. */
static uint32_t token_inside(const uint32_t *tokens, const struct ft_nest_element *element)
{
    for (size_t at = element->head; at < element->head + element->length;
         at += ft_nest_element(tokens + at).head)
        if (ft_nest_kind(tokens[at]) == FT_NEST_ACCESS)
            return tokens[at];
    return tokens[0];
}

static bool find_elements(struct ft_cut_elements *elements, const uint32_t *tokens, size_t at,
                          size_t length, size_t *number)
{
    for (size_t end = at + length; at < end;) {
        const struct ft_nest_element in = ft_nest_element(tokens + at);
        struct ft_cut_element element = {.token = tokens[at], .at = at, .number = *number};
        if (in.kind == FT_NEST_ROUTINE) {
            element.is_open = true;
            if (!add_element(elements, &element) ||
                !find_elements(elements, tokens, at + in.head, in.length, number))
                return false;
            element.is_open = false;
            element.closes = true;
            element.number = *number;
        } else {
            if (in.counts)
                element.token = token_inside(tokens + at, &in);
            element.length = in.head + in.length;
            element.numbers = ft_nest_element_numbers(&in, tokens + at);
            *number += element.numbers;
        }
        if (!add_element(elements, &element))
            return false;
        at += in.head + in.length;
    }
    return true;
}

bool ft_cut_elements_find(struct ft_cut_elements *elements, const struct ft_nest *iteration)
{
    size_t number = 0;
    elements->count = 0;
    return find_elements(elements, iteration->tokens, 0, iteration->token_count, &number);
}

bool ft_cut_elements_place(struct ft_cut_elements *elements, const struct ft_iteration_cut *cut)
{
    size_t at = 0;
    if (!FT_RESERVE(elements->columns, elements->column_capacity, elements->count + 1))
        return false;
    for (size_t a = 0; a < cut->anchor_count; a++) {
        size_t found = at;
        while (found < elements->count &&
               !ft_cut_is_same(&elements->elements[found], &cut->anchors[a]))
            found++;
        if (found == elements->count)
            continue; /* this iteration does not have it */
        for (; at < found; at++)
            elements->columns[at] = 2 * a;
        elements->columns[at++] = 2 * a + 1;
    }
    for (; at < elements->count; at++)
        elements->columns[at] = 2 * cut->anchor_count;
    return true;
}

/* ---- cutting ---- */

/* Whether each activation is all kept, or ends in the piece in which it starts. */
static bool is_whole(const struct ft_iteration_cut *cut, const struct ft_cut_elements *elements)
{
    size_t opened[OPEN_MAX]; /* columns */
    size_t depth = 0;
    for (size_t i = 0; i < elements->count; i++) {
        const struct ft_cut_element *element = &elements->elements[i];
        const size_t column = elements->columns[i];
        if (element->is_open) {
            if (depth == OPEN_MAX)
                return false;
            opened[depth++] = column;
        }
        const size_t last = depth ? opened[depth - 1] : column;
        const bool is_kept = cut->uses[last] == FT_CUT_KEPT;
        for (size_t c = last; c <= column; c++)
            if (!is_kept && cut->uses[c] != cut->uses[last])
                return false;
        if (element->closes && (depth == 0 || cut->uses[column] != cut->uses[last]))
            return false;
        depth -= element->closes;
    }
    return depth == 0;
}

/* A nest that elements are added to. */
struct writing {
    struct ft_nest *into;
    size_t open[OPEN_MAX]; /* places */
    size_t depth;
};

static bool write_element(struct writing *writing, const struct ft_nest *iteration,
                          const struct ft_cut_element *element)
{
    if (element->is_open)
        return ft_nest_open(writing->into, FT_NEST_ROUTINE, ft_nest_id(element->token),
                            &writing->open[writing->depth++]);
    if (element->closes) {
        ft_nest_close(writing->into, writing->open[--writing->depth]);
        return true;
    }
    const struct ft_nest_span span = {iteration->tokens + element->at, element->length,
                                      iteration->numbers + element->number, element->numbers};
    return ft_nest_add(writing->into, &span);
}

static bool write_columns(const struct ft_iteration_cut *cut, const struct ft_nest *iteration,
                          uint32_t irregular, const struct ft_cut_elements *elements,
                          struct writing *kept, struct writing *drawn)
{
    enum ft_cut_use before = FT_CUT_KEPT;
    bool done = true;
    for (size_t c = 0, i = 0; done && c < ft_cut_columns(cut); c++) {
        const enum ft_cut_use use = cut->uses[c];
        if (before == FT_CUT_DRAWN && use != before) /* the piece ends */
            done = ft_nest_add_irregular(drawn->into, irregular);
        if (done && use != FT_CUT_KEPT && use != before)
            done = ft_nest_add_irregular(kept->into, irregular);
        for (; done && i < elements->count && elements->columns[i] == c; i++)
            if (use != FT_CUT_DROPPED)
                done = write_element(use == FT_CUT_KEPT ? kept : drawn, iteration,
                                     &elements->elements[i]);
        before = use;
    }
    return done && (before != FT_CUT_DRAWN || ft_nest_add_irregular(drawn->into, irregular));
}

bool ft_iteration_cut_apply(const struct ft_iteration_cut *cut, const struct ft_nest *iteration,
                            uint32_t irregular, struct ft_cut_elements *elements,
                            struct ft_nest *kept, struct ft_nest *drawn)
{
    struct writing writing_kept = {.into = kept}, writing_drawn = {.into = drawn};
    const struct ft_nest_span all = ft_nest_span(iteration);
    ft_nest_clear(kept);
    ft_nest_clear(drawn);
    if (!ft_cut_elements_find(elements, iteration) || !ft_cut_elements_place(elements, cut))
        return false;
    if (!is_whole(cut, elements))
        return ft_nest_add(kept, &all);
    return write_columns(cut, iteration, irregular, elements, &writing_kept, &writing_drawn);
}
