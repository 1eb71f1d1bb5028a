#include "fit/skeletons/string_copies.h"

#include "fit/skeletons/string_templates.h"
#include "formats/skeleton/nest_executions.h"

/* What a string routine repeats. */
struct repeated {
    uint32_t scope;          /* of the routine */
    size_t body, end;        /* tokens */
    uint64_t loaded, stored; /* bytes, each time */
    uint64_t times;
};

struct looking {
    const struct ft_skeleton *skeleton;
    const struct ft_nest *nest;
    bool (*visit)(void *context, const struct repeated *repeated); /* whether to look inside, too */
    void *context;
};

static void sum_bytes(const struct looking *looking, struct repeated *repeated)
{
    for (size_t at = repeated->body; at < repeated->end;) {
        const struct ft_nest_element element = ft_nest_element(looking->nest->tokens + at);
        if (element.kind == FT_NEST_ACCESS) {
            const struct ft_reference *reference = &looking->skeleton->references[element.id];
            *(reference->kind == FT_LOAD ? &repeated->loaded : &repeated->stored) +=
                reference->size_bytes;
        }
        at += element.head + element.length;
    }
}

/* scope: of the string routine around, or UINT32_MAX. */
static void look(const struct looking *looking, size_t at, size_t end, size_t number,
                 uint32_t scope)
{
    const struct ft_skeleton *skeleton = looking->skeleton;
    while (at < end) {
        const uint32_t *tokens = looking->nest->tokens + at;
        const struct ft_nest_element element = ft_nest_element(tokens);
        const size_t body = at + element.head, next = body + element.length;
        uint32_t inside = scope;
        bool looks = element.kind != FT_NEST_ACCESS && element.kind != FT_NEST_IRREGULAR;
        if (element.kind == FT_NEST_ROUTINE) {
            const uint32_t routine = skeleton->routine_scopes[element.id];
            inside = ft_scope_is_string_routine(&skeleton->scopes, routine) ? routine : UINT32_MAX;
        }
        if (element.kind == FT_NEST_REPEAT && scope != UINT32_MAX) {
            struct repeated repeated = {
                .scope = scope, .body = body, .end = next, .times = looking->nest->numbers[number]};
            sum_bytes(looking, &repeated);
            looks = looking->visit(looking->context, &repeated);
        }
        if (looks)
            look(looking, body, next, number + element.counts, inside);
        number += ft_nest_element_numbers(&element, tokens);
        at = next;
    }
}

/* ---- copies ---- */

static bool note_copy(void *context, const struct repeated *repeated)
{
    uint64_t *longest = context; /* [scope] */
    const uint64_t bytes = repeated->stored ? repeated->times * repeated->loaded : 0;
    if (bytes > longest[repeated->scope])
        longest[repeated->scope] = bytes;
    return true;
}

void ft_string_copies_longest(const struct ft_skeleton *skeleton, const struct ft_nest *nest,
                              uint64_t *ret_longest)
{
    const struct looking looking = {skeleton, nest, note_copy, ret_longest};
    for (size_t s = 0; s < skeleton->scopes.scope_count; s++)
        ret_longest[s] = 0;
    look(&looking, 0, nest->token_count, 0, UINT32_MAX);
}

/* ---- vectors ---- */

struct counting {
    const struct ft_nest *nest;
    const uint64_t *before; /* [token] (nest_executions.h) */
    double *accesses;       /* [reference] */
};

static bool count_vectors(void *context, const struct repeated *repeated)
{
    const struct counting *counting = context;
    const uint64_t moved =
        repeated->loaded > repeated->stored ? repeated->loaded : repeated->stored;
    if (repeated->times * moved < FT_STRING_LONG_BYTES)
        return false;
    for (size_t at = repeated->body; at < repeated->end;) {
        const struct ft_nest_element element = ft_nest_element(counting->nest->tokens + at);
        if (element.kind == FT_NEST_ACCESS)
            counting->accesses[element.id] +=
                (double)(counting->before[at + 1] - counting->before[at]);
        at += element.head;
    }
    return false;
}

int ft_string_vectors_long(const struct ft_skeleton *skeleton, const struct ft_nest *nest,
                           double *ret_accesses, struct ft_diag *diag)
{
    struct ft_nest_executions executions;
    FT_TRY(ft_nest_executions_make(nest, &executions, diag));
    struct counting counting = {nest, executions.before, ret_accesses};
    const struct looking looking = {skeleton, nest, count_vectors, &counting};
    for (uint32_t r = 0; r < skeleton->reference_count; r++)
        ret_accesses[r] = 0;
    look(&looking, 0, nest->token_count, 0, UINT32_MAX);
    ft_nest_executions_fini(&executions);
    return FT_OK;
}
