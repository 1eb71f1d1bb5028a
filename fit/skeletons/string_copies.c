#include "fit/skeletons/string_copies.h"

struct copying {
    const struct ft_skeleton *skeleton;
    const struct ft_nest *nest;
    uint64_t *longest;
};

/* Bytes that an iteration loads, of one that also stores; else 0. */
static uint64_t copied_bytes(const struct copying *copying, size_t at, size_t end)
{
    uint64_t loaded = 0;
    bool stores = false;
    while (at < end) {
        const struct ft_nest_element element = ft_nest_element(copying->nest->tokens + at);
        if (element.kind == FT_NEST_ACCESS) {
            const struct ft_reference *reference = &copying->skeleton->references[element.id];
            stores = stores || reference->kind != FT_LOAD;
            loaded += reference->kind == FT_LOAD ? reference->size_bytes : 0;
        }
        at += element.head + element.length;
    }
    return stores ? loaded : 0;
}

/* scope: of the string routine around, or UINT32_MAX. */
static void find_copies(const struct copying *copying, size_t at, size_t end, size_t number,
                        uint32_t scope)
{
    const struct ft_skeleton *skeleton = copying->skeleton;
    while (at < end) {
        const uint32_t *tokens = copying->nest->tokens + at;
        const struct ft_nest_element element = ft_nest_element(tokens);
        const size_t body = at + element.head, next = body + element.length;
        uint32_t inside = scope;
        if (element.kind == FT_NEST_ROUTINE) {
            const uint32_t routine = skeleton->routine_scopes[element.id];
            inside = ft_scope_is_string_routine(&skeleton->scopes, routine) ? routine : UINT32_MAX;
        }
        if (element.kind == FT_NEST_REPEAT && scope != UINT32_MAX) {
            const uint64_t bytes =
                copying->nest->numbers[number] * copied_bytes(copying, body, next);
            if (bytes > copying->longest[scope])
                copying->longest[scope] = bytes;
        }
        if (element.kind != FT_NEST_ACCESS && element.kind != FT_NEST_IRREGULAR)
            find_copies(copying, body, next, number + element.counts, inside);
        number += ft_nest_element_numbers(&element, tokens);
        at = next;
    }
}

void ft_string_copies_longest(const struct ft_skeleton *skeleton, const struct ft_nest *nest,
                              uint64_t *ret_longest)
{
    const struct copying copying = {skeleton, nest, ret_longest};
    for (size_t s = 0; s < skeleton->scopes.scope_count; s++)
        ret_longest[s] = 0;
    find_copies(&copying, 0, nest->token_count, 0, UINT32_MAX);
}
