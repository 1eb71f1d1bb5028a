#include "fit/skeletons/nest_rewriting.h"

struct rewriting {
    const struct ft_nest *nest;
    const uint32_t *names;
    ft_nest_rewriter *rewriter;
    void *context;
    struct ft_nest *into;
    struct ft_diag *diag;
};

static bool add_head(const struct rewriting *rewriting, size_t at, size_t head)
{
    struct ft_nest *into = rewriting->into;
    const size_t place = into->token_count;
    const struct ft_nest_span span = {.tokens = rewriting->nest->tokens + at, .token_count = head};
    if (!ft_nest_add(into, &span))
        return false;
    into->tokens[place] = rewriting->names[at];
    return true;
}

static int rewrite(const struct rewriting *rewriting, size_t at, size_t end, size_t number,
                   bool is_first);

/* As it is, but for what is in it; lengths follow. */
static int write_element(const struct rewriting *rewriting, size_t at,
                         const struct ft_nest_element *element, size_t number, bool is_first)
{
    struct ft_nest *into = rewriting->into;
    const size_t body = at + element->head, place = into->token_count;
    const struct ft_nest_span own = {.numbers = rewriting->nest->numbers + number,
                                     .number_count =
                                         element->kind == FT_NEST_ACCESS ? 1 : element->counts};
    if ((is_first && !add_head(rewriting, at, element->head)) || !ft_nest_add(into, &own))
        return ft_fail_memory(rewriting->diag, "a loop nest");
    for (size_t row = 0; row < (element->counts ? element->rows : 1); row++) {
        const size_t before = into->number_count;
        const bool is_first_row = is_first && row == 0;
        FT_TRY(rewrite(rewriting, body, body + element->length,
                       number + element->counts + row * element->body, is_first_row));
        if (is_first_row && element->counts)
            into->tokens[place + 2] = (uint32_t)(into->number_count - before);
    }
    if (is_first && element->head > 1)
        into->tokens[place + 1] = (uint32_t)(into->token_count - place - element->head);
    return FT_OK;
}

static int rewrite(const struct rewriting *rewriting, size_t at, size_t end, size_t number,
                   bool is_first)
{
    while (at < end) {
        const uint32_t *tokens = rewriting->nest->tokens + at;
        const struct ft_nest_element element = ft_nest_element(tokens);
        bool done = false;
        FT_TRY(
            rewriting->rewriter(rewriting->context, at, number, is_first, &done, rewriting->diag));
        if (!done)
            FT_TRY(write_element(rewriting, at, &element, number, is_first));
        number += ft_nest_element_numbers(&element, tokens);
        at += element.head + element.length;
    }
    return FT_OK;
}

int ft_nest_rewrite(const struct ft_nest *nest, const uint32_t *names, ft_nest_rewriter *rewriter,
                    void *context, struct ft_nest *into, struct ft_diag *diag)
{
    const struct rewriting rewriting = {nest, names, rewriter, context, into, diag};
    return rewrite(&rewriting, 0, nest->token_count, 0, true);
}
