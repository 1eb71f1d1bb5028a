#include "fit/skeletons/string_copies.h"

#include "fit/skeletons/string_templates.h"
#include "formats/skeleton/nest_executions.h"

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

/* ---- vectors ---- */

struct measuring {
    const struct ft_skeleton *skeleton;
    const struct ft_nest *nest;
    const uint64_t *before; /* [token] (nest_executions.h) */
    double *accesses;
};

/* Bytes that an iteration loads or stores, whichever is more. */
static uint64_t moved_bytes(const struct measuring *measuring, size_t at, size_t end)
{
    uint64_t loaded = 0, stored = 0;
    while (at < end) {
        const struct ft_nest_element element = ft_nest_element(measuring->nest->tokens + at);
        if (element.kind == FT_NEST_ACCESS) {
            const struct ft_reference *reference = &measuring->skeleton->references[element.id];
            *(reference->kind == FT_LOAD ? &loaded : &stored) += reference->size_bytes;
        }
        at += element.head + element.length;
    }
    return loaded > stored ? loaded : stored;
}

static void add_accesses(const struct measuring *measuring, size_t at, size_t end)
{
    while (at < end) {
        const struct ft_nest_element element = ft_nest_element(measuring->nest->tokens + at);
        if (element.kind == FT_NEST_ACCESS)
            measuring->accesses[element.id] +=
                (double)(measuring->before[at + 1] - measuring->before[at]);
        at += element.head;
    }
}

static void find_vectors(const struct measuring *measuring, size_t at, size_t end, size_t number,
                         bool in_call)
{
    const struct ft_skeleton *skeleton = measuring->skeleton;
    while (at < end) {
        const uint32_t *tokens = measuring->nest->tokens + at;
        const struct ft_nest_element element = ft_nest_element(tokens);
        const size_t body = at + element.head, next = body + element.length;
        bool inside = in_call;
        if (element.kind == FT_NEST_ROUTINE)
            inside =
                ft_scope_is_string_routine(&skeleton->scopes, skeleton->routine_scopes[element.id]);
        if (element.kind == FT_NEST_REPEAT && in_call) {
            const uint64_t bytes =
                measuring->nest->numbers[number] * moved_bytes(measuring, body, next);
            if (bytes >= FT_STRING_LONG_BYTES)
                add_accesses(measuring, body, next);
        } else if (element.kind != FT_NEST_ACCESS && element.kind != FT_NEST_IRREGULAR) {
            find_vectors(measuring, body, next, number + element.counts, inside);
        }
        number += ft_nest_element_numbers(&element, tokens);
        at = next;
    }
}

int ft_string_vectors_long(const struct ft_skeleton *skeleton, const struct ft_nest *nest,
                           double *ret_accesses, struct ft_diag *diag)
{
    struct ft_nest_executions executions;
    FT_TRY(ft_nest_executions_make(nest, &executions, diag));
    const struct measuring measuring = {skeleton, nest, executions.before, ret_accesses};
    for (uint32_t r = 0; r < skeleton->reference_count; r++)
        ret_accesses[r] = 0;
    find_vectors(&measuring, 0, nest->token_count, 0, false);
    ft_nest_executions_fini(&executions);
    return FT_OK;
}
