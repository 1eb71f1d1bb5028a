#include "engine/skeleton/nest_hulls.h"

#include <stdlib.h>

#include "formats/base/array.h"

#define EXTENT_MAX (INT64_C(1) << 46) /* bytes, more than any array has */

/* Numbers of a body: their bounds from `at` on, and their steps in the loop of the span. */
struct bounds {
    size_t at;
    const uint64_t *steps; /* NULL: all 0 */
};

void ft_nest_hulls_fini(struct ft_nest_hulls *hulls)
{
    free(hulls->hulls);
    free(hulls->lows);
    free(hulls->highs);
    *hulls = (struct ft_nest_hulls){0};
}

static bool are_zero(const uint64_t *steps, size_t count)
{
    for (size_t k = 0; steps && k < count; k++)
        if (steps[k])
            return false;
    return true;
}

/* Room for the bounds of so many numbers more. */
static bool reserve(struct ft_nest_hulls *hulls, size_t count)
{
    const size_t need = hulls->number_count + count;
    return FT_RESERVE(hulls->lows, hulls->low_capacity, need) &&
           FT_RESERVE(hulls->highs, hulls->high_capacity, need);
}

/* How far steps lead from a number, at most. False: too far. */
static bool extend(struct ft_nest_hulls *hulls, size_t to, size_t first, size_t step, int64_t most)
{
    int64_t down, up;
    if (__builtin_mul_overflow((int64_t)hulls->lows[step], most, &down) ||
        __builtin_mul_overflow((int64_t)hulls->highs[step], most, &up) || down < -EXTENT_MAX ||
        up > EXTENT_MAX)
        return false;
    hulls->lows[to] = hulls->lows[first] + (uint64_t)(down < 0 ? down : 0);
    hulls->highs[to] = hulls->highs[first] + (uint64_t)(up > 0 ? up : 0);
    return true;
}

static enum ft_hulls_found find(struct ft_nest_hulls *hulls, const uint32_t *tokens, size_t length,
                                const struct bounds *bounds);

/* What repeats, whose numbers are from k on. */
static enum ft_hulls_found find_repeat(struct ft_nest_hulls *hulls, const uint32_t *tokens,
                                       const struct ft_nest_element *element,
                                       const struct bounds *bounds, size_t k)
{
    const size_t first = k + element->counts, step = first + element->body;
    const uint64_t *steps = bounds->steps;
    if (element->kind == FT_NEST_GEOMETRIC) /* steps do not bound what grows by powers */
        return FT_HULLS_CHANGE;
    if (steps && (!are_zero(steps + k, element->counts) || !are_zero(steps + step, element->body)))
        return FT_HULLS_CHANGE;
    const int64_t count = (int64_t)hulls->highs[bounds->at + k];
    if (count <= 0)
        return FT_HULLS_FOUND;
    const struct bounds body = {hulls->number_count, steps ? steps + first : NULL};
    if (!reserve(hulls, element->body))
        return FT_HULLS_MEMORY;
    for (size_t j = 0; j < element->body; j++)
        if (!extend(hulls, body.at + j, bounds->at + first + j, bounds->at + step + j, count - 1))
            return FT_HULLS_CHANGE;
    hulls->number_count += element->body;
    enum ft_hulls_found found = find(hulls, tokens + element->head, element->length, &body);
    hulls->number_count = body.at;
    return found;
}

static enum ft_hulls_found find(struct ft_nest_hulls *hulls, const uint32_t *tokens, size_t length,
                                const struct bounds *bounds)
{
    size_t k = 0;
    for (size_t at = 0; at < length;) {
        const struct ft_nest_element element = ft_nest_element(tokens + at);
        if (element.counts) {
            enum ft_hulls_found found = find_repeat(hulls, tokens + at, &element, bounds, k);
            if (found != FT_HULLS_FOUND)
                return found;
            k += ft_nest_repeat_numbers(&element);
            at += element.head + element.length;
            continue;
        }
        if (element.kind == FT_NEST_ACCESS || element.kind == FT_NEST_IRREGULAR) {
            if (!FT_RESERVE(hulls->hulls, hulls->capacity, hulls->count + 1))
                return FT_HULLS_MEMORY;
            struct ft_nest_hull *hull = &hulls->hulls[hulls->count++];
            *hull = (struct ft_nest_hull){.token = tokens + at};
            if (element.kind == FT_NEST_ACCESS) {
                hull->first = hulls->lows[bounds->at + k];
                hull->last = hulls->highs[bounds->at + k];
                hull->step = bounds->steps ? bounds->steps[k] : 0;
                k++;
            }
        }
        at += element.head;
    }
    return FT_HULLS_FOUND;
}

enum ft_hulls_found ft_nest_hulls_find(struct ft_nest_hulls *hulls, const struct ft_nest_span *span,
                                       const uint64_t *steps)
{
    const struct bounds bounds = {0, steps};
    hulls->count = hulls->number_count = 0;
    if (!reserve(hulls, span->number_count))
        return FT_HULLS_MEMORY;
    for (size_t k = 0; k < span->number_count; k++)
        hulls->lows[k] = hulls->highs[k] = span->numbers[k];
    hulls->number_count = span->number_count;
    return find(hulls, span->tokens, span->token_count, &bounds);
}
