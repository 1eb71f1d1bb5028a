/*
 * Elements are copied with their numbers, token by token. A body that repeats has its numbers in
 * rows, all of which lose the numbers of an element that is replaced, and get those of its
 * replacement: in the row of the first iteration what these are, in the others 0.
 */
#include "predict/explain/reordered_nest.h"

#include <stdlib.h>

#include "formats/base/array.h"

/* What stands in the place of an element. */
struct replacement {
    bool is_one;
    size_t numbers;
};

struct rewriting {
    const struct ft_reordering *reordering;
    struct replacement *replacements; /* [token] */
    struct ft_nest *into;
    size_t changed;
    bool moves; /* a nest that was to be changed does, with what is around it */
    struct ft_diag *diag;
};

/* The row at hand. */
enum row {
    FIRST_ROW, /* of the first iterations all around: tokens are written as well */
    STEPS_ROW  /* by how much they change */
};

static int no_memory(const struct rewriting *rewriting)
{
    return ft_fail_memory(rewriting->diag, "a loop nest");
}

static int put_number(const struct rewriting *rewriting, uint64_t number)
{
    struct ft_nest *into = rewriting->into;
    if (!FT_RESERVE(into->numbers, into->number_capacity, into->number_count + 1))
        return no_memory(rewriting);
    into->numbers[into->number_count++] = number;
    return FT_OK;
}

static int put_token(const struct rewriting *rewriting, uint32_t token)
{
    struct ft_nest *into = rewriting->into;
    if (!FT_RESERVE(into->tokens, into->token_capacity, into->token_count + 1))
        return no_memory(rewriting);
    into->tokens[into->token_count++] = token;
    return FT_OK;
}

/* Writes what replaces a loop, if it is one of those and may be. */
static int try_replace(struct rewriting *rewriting, size_t at, const uint64_t *numbers)
{
    const struct ft_reordering *reordering = rewriting->reordering;
    const uint32_t *tokens = reordering->nest->tokens + at;
    struct replacement *replacement = &rewriting->replacements[at];
    struct ft_rect_nest nest;
    struct ft_loop_order order;
    bool is_one;
    if (ft_nest_kind(*tokens) != FT_NEST_LOOP || !reordering->begins[ft_nest_id(*tokens)])
        return FT_OK;
    FT_TRY(ft_rect_nest_read(tokens, numbers, &nest, &is_one, rewriting->diag));
    int status = FT_OK;
    if (is_one && reordering->choose(reordering->context, &nest, &order)) {
        const size_t before = rewriting->into->number_count;
        status = ft_loop_order_write(&nest, &order, rewriting->into, rewriting->diag);
        *replacement = (struct replacement){true, rewriting->into->number_count - before};
        rewriting->changed++;
    }
    if (is_one)
        ft_rect_nest_fini(&nest);
    return status;
}

/* In the other rows. */
static int put_still(struct rewriting *rewriting, size_t at, const uint64_t *numbers)
{
    const uint32_t *tokens = rewriting->reordering->nest->tokens + at;
    const struct ft_nest_element element = ft_nest_element(tokens);
    const size_t count = ft_nest_element_numbers(&element, tokens);
    for (size_t i = 0; i < count; i++)
        rewriting->moves = rewriting->moves || numbers[i] != 0;
    for (size_t i = 0; i < rewriting->replacements[at].numbers; i++)
        FT_TRY(put_number(rewriting, 0));
    return FT_OK;
}

static int rewrite(struct rewriting *rewriting, size_t at, size_t end, const uint64_t *numbers,
                   enum row row);

/* The rows of a body. */
static int rewrite_repeat(struct rewriting *rewriting, size_t at, const uint64_t *numbers,
                          enum row row)
{
    const uint32_t *tokens = rewriting->reordering->nest->tokens + at;
    const struct ft_nest_element element = ft_nest_element(tokens);
    const size_t body = at + element.head, head = rewriting->into->token_count;
    for (size_t i = 0; row == FIRST_ROW && i < element.head; i++)
        FT_TRY(put_token(rewriting, tokens[i]));
    for (size_t i = 0; i < element.counts; i++)
        FT_TRY(put_number(rewriting, numbers[i]));
    const size_t before = rewriting->into->number_count;
    FT_TRY(rewrite(rewriting, body, body + element.length, numbers + element.counts, row));
    if (row == FIRST_ROW) {
        rewriting->into->tokens[head + 1] =
            (uint32_t)(rewriting->into->token_count - head - element.head);
        rewriting->into->tokens[head + 2] = (uint32_t)(rewriting->into->number_count - before);
    }
    for (size_t i = 1; i < element.rows; i++)
        FT_TRY(rewrite(rewriting, body, body + element.length,
                       numbers + element.counts + i * element.body, STEPS_ROW));
    return FT_OK;
}

static int rewrite_element(struct rewriting *rewriting, size_t at, const uint64_t *numbers,
                           enum row row)
{
    const uint32_t *tokens = rewriting->reordering->nest->tokens + at;
    const struct ft_nest_element element = ft_nest_element(tokens);
    if (row == FIRST_ROW)
        FT_TRY(try_replace(rewriting, at, numbers));
    if (rewriting->replacements[at].is_one)
        return row == FIRST_ROW ? FT_OK : put_still(rewriting, at, numbers);
    if (element.counts)
        return rewrite_repeat(rewriting, at, numbers, row);
    const size_t head = rewriting->into->token_count;
    for (size_t i = 0; row == FIRST_ROW && i < element.head; i++)
        FT_TRY(put_token(rewriting, tokens[i]));
    if (element.kind == FT_NEST_ACCESS)
        return put_number(rewriting, *numbers);
    FT_TRY(rewrite(rewriting, at + element.head, at + element.head + element.length, numbers, row));
    if (row == FIRST_ROW && element.kind != FT_NEST_IRREGULAR)
        rewriting->into->tokens[head + 1] =
            (uint32_t)(rewriting->into->token_count - head - element.head);
    return FT_OK;
}

static int rewrite(struct rewriting *rewriting, size_t at, size_t end, const uint64_t *numbers,
                   enum row row)
{
    while (at < end) {
        const uint32_t *tokens = rewriting->reordering->nest->tokens + at;
        const struct ft_nest_element element = ft_nest_element(tokens);
        FT_TRY(rewrite_element(rewriting, at, numbers, row));
        numbers += ft_nest_element_numbers(&element, tokens);
        at += element.head + element.length;
    }
    return FT_OK;
}

int ft_reordered_nest_make(const struct ft_reordering *reordering, struct ft_nest *ret_nest,
                           size_t *ret_changed, struct ft_diag *diag)
{
    const struct ft_nest *nest = reordering->nest;
    struct ft_nest changed = {0};
    struct rewriting rewriting = {.reordering = reordering,
                                  .replacements =
                                      calloc(nest->token_count + 1, sizeof *rewriting.replacements),
                                  .into = &changed,
                                  .diag = diag};
    int status = rewriting.replacements
                     ? rewrite(&rewriting, 0, nest->token_count, nest->numbers, FIRST_ROW)
                     : no_memory(&rewriting);
    free(rewriting.replacements);
    *ret_changed = status || rewriting.moves ? 0 : rewriting.changed;
    if (*ret_changed)
        *ret_nest = changed;
    else
        ft_nest_fini(&changed);
    return status;
}
