#include "formats/skeleton/nest_check.h"

struct checking {
    const struct ft_nest *nest;
    const struct ft_nest_ids *ids;
};

static int fail_at(size_t token, const char *what, struct ft_diag *diag)
{
    return ft_fail(diag, FT_ERROR_DATA, "token %zu of the loop nest: %s", token, what);
}

/* Whether the id of a token without a body, or of the head of one, is known. */
static bool id_is_known(const struct ft_nest_ids *ids, uint32_t token)
{
    const size_t counts[] = {[FT_NEST_ACCESS] = ids->references,
                             [FT_NEST_ROUTINE] = ids->routines,
                             [FT_NEST_LOOP] = ids->loops,
                             [FT_NEST_ONCE] = 1,
                             [FT_NEST_REPEAT] = 1,
                             [FT_NEST_IRREGULAR] = ids->irregulars,
                             [FT_NEST_CYCLE] = FT_NEST_FROM_LAST + 1,
                             [FT_NEST_GEOMETRIC] = 1};
    return ft_nest_kind(token) <= FT_NEST_GEOMETRIC &&
           ft_nest_id(token) < counts[ft_nest_kind(token)];
}

/* The numbers of tokens [at, end) are added to *numbers, which stays below the nest's count. */
static int check_span(const struct checking *checking, size_t at, size_t end, unsigned depth,
                      size_t *numbers, struct ft_diag *diag)
{
    const struct ft_nest *nest = checking->nest;
    while (at < end) {
        const uint32_t *token = nest->tokens + at;
        const enum ft_nest_kind kind = ft_nest_kind(*token);
        const bool has_body = kind != FT_NEST_ACCESS && kind != FT_NEST_IRREGULAR;
        const bool repeats =
            kind == FT_NEST_REPEAT || kind == FT_NEST_CYCLE || kind == FT_NEST_GEOMETRIC;
        if (!id_is_known(checking->ids, *token))
            return fail_at(at, "it is unknown", diag);
        if (has_body && end - at < (repeats ? 3U : 2U))
            return fail_at(at, "it has no body", diag);
        struct ft_nest_element element = ft_nest_element(token);
        if (element.length > end - at - element.head || depth == FT_NEST_BRACKETS_MAX)
            return fail_at(at, "its body is too long, or too deep", diag);
        size_t inside = kind == FT_NEST_ACCESS ? 1 : 0;
        at += element.head;
        if (has_body)
            FT_TRY(check_span(checking, at, at + element.length, depth + 1, &inside, diag));
        if (repeats && inside != element.body)
            return fail_at(at, "the body has another number of numbers", diag);
        if (repeats)
            inside = ft_nest_repeat_numbers(&element);
        if (inside > nest->number_count - *numbers)
            return fail_at(at, "numbers are missing", diag);
        *numbers += inside;
        at += element.length;
    }
    return FT_OK;
}

int ft_nest_check(const struct ft_nest *nest, const struct ft_nest_ids *ids, struct ft_diag *diag)
{
    const struct checking checking = {nest, ids};
    size_t numbers = 0;
    FT_TRY(check_span(&checking, 0, nest->token_count, 0, &numbers, diag));
    if (numbers != nest->number_count)
        return ft_fail(diag, FT_ERROR_DATA, "the loop nest has %zu numbers, expected %zu",
                       nest->number_count, numbers);
    return FT_OK;
}
