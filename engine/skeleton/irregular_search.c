#include "engine/skeleton/irregular_search.h"

#include <string.h>

#include "formats/base/hash_table.h"

/* Pairs of neighbours that are compared. */
#define PAIRS_MAX 64

struct ft_nest_context ft_nest_context_inside(struct ft_nest_context around, uint32_t token)
{
    return (struct ft_nest_context){ft_hash_add(around.hash + 1, token), token};
}

/* A place in a nest: what is around it, and the innermost loop of that. */
struct place {
    struct ft_nest_context around, loop;
};

static struct place inside(struct place place, const struct ft_nest_element *element,
                           uint32_t token)
{
    if (element->kind != FT_NEST_LOOP && element->kind != FT_NEST_ROUTINE)
        return place;
    place.around = ft_nest_context_inside(place.around, token);
    if (element->kind == FT_NEST_LOOP)
        place.loop = place.around;
    return place;
}

/* ---- differences ---- */

/* The loop in which two bodies first differ in what they run. */
static struct ft_nest_context differing_shape(const uint32_t *a, size_t a_count, const uint32_t *b,
                                              size_t b_count, struct place place)
{
    size_t at = 0; /* in both: what is before is equal */
    while (at < a_count && at < b_count) {
        struct ft_nest_element in_a = ft_nest_element(a + at), in_b = ft_nest_element(b + at);
        if (a[at] != b[at])
            break;
        if (in_a.length != in_b.length ||
            memcmp(a + at + in_a.head, b + at + in_b.head, in_a.length * sizeof *a) != 0)
            return differing_shape(a + at + in_a.head, in_a.length, b + at + in_b.head, in_b.length,
                                   inside(place, &in_a, a[at]));
        at += in_a.head + in_a.length;
    }
    return place.loop;
}

/* The loop that a number belongs to. */
static struct ft_nest_context loop_of_number(const uint32_t *tokens, size_t token_count,
                                             size_t number, struct place place)
{
    for (size_t at = 0; at < token_count;) {
        struct ft_nest_element element = ft_nest_element(tokens + at);
        size_t numbers = ft_nest_element_numbers(&element, tokens + at);
        if (number < numbers && element.length) {
            if (number < element.counts)
                return place.loop;
            if (element.counts)
                number = (number - element.counts) % element.body;
            return loop_of_number(tokens + at + element.head, element.length, number,
                                  inside(place, &element, tokens[at]));
        }
        if (number < numbers)
            return place.loop;
        number -= numbers;
        at += element.head + element.length;
    }
    return place.loop;
}

/* The first number in which b does not follow a, and c not b, or number_count. */
static size_t differing_number(const struct ft_fold_term *a, const struct ft_fold_term *b,
                               const struct ft_fold_term *c)
{
    size_t k = 0;
    for (; k < a->number_count; k++) {
        uint64_t step = b->first[k] - a->first[k];
        if (a->count > 1 ? b->first[k] != ft_fold_number_at(a, k, a->count)
                         : c && c->first[k] - b->first[k] != step)
            break;
    }
    return k;
}

int ft_irregular_search_terms(const struct ft_folding *folding, struct ft_nest_context loop,
                              ft_irregular_finder *found, void *context, struct ft_diag *diag)
{
    struct place place = {loop, loop};
    size_t count = folding->term_count;
    for (size_t i = count > PAIRS_MAX ? count - PAIRS_MAX : 0; i + 1 < count; i++) {
        const struct ft_fold_term *a = &folding->terms[i], *b = a + 1;
        if (!ft_fold_same_shape(a, b)) {
            FT_TRY(
                found(context,
                      differing_shape(a->tokens, a->token_count, b->tokens, b->token_count, place),
                      diag));
            continue;
        }
        const struct ft_fold_term *c = i + 2 < count && ft_fold_same_shape(b, b + 1) ? b + 1 : NULL;
        size_t number = differing_number(a, b, c);
        if (number < a->number_count)
            FT_TRY(found(context, loop_of_number(a->tokens, a->token_count, number, place), diag));
    }
    return FT_OK;
}

/* ---- one body ---- */

struct ft_nest_context ft_irregular_search_body(const struct ft_nest *body,
                                                struct ft_nest_context loop)
{
    struct place place = {loop, loop};
    const uint32_t *tokens = body->tokens;
    size_t token_count = body->token_count;
    while (token_count) {
        size_t largest = 0, length = 0;
        for (size_t at = 0; at < token_count;) {
            struct ft_nest_element element = ft_nest_element(tokens + at);
            if (element.length > length) {
                largest = at;
                length = element.length;
            }
            at += element.head + element.length;
        }
        if (length == 0)
            break;
        struct ft_nest_element element = ft_nest_element(tokens + largest);
        struct ft_nest_context before = place.loop;
        place = inside(place, &element, tokens[largest]);
        tokens += largest + element.head;
        token_count = length;
        if (element.kind == FT_NEST_LOOP && ft_nest_element_count(tokens, length) < 3)
            place.loop = before;
    }
    return place.loop;
}
