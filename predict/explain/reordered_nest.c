/*
 * Elements are copied with their numbers, token by token. A body that repeats has its numbers in
 * rows: those in the first iteration, and by how much they change. A rectangular nest is written
 * once with its tokens; in the other rows it is one that moves: the same order of accesses, whose
 * addresses are their changes, and all other numbers 0.
 */
#include "predict/explain/reordered_nest.h"

#include <stdlib.h>

#include "formats/base/array.h"

/* What stands in the place of the iterations of a loop. */
struct replacement {
    bool is_one;
    struct ft_loop_order order;
    uint64_t iterations[FT_RECT_LOOPS_MAX];
};

struct rewriting {
    const struct ft_reordering *reordering;
    struct replacement *replacements; /* [token] */
    struct ft_nest *into;
    size_t changed;
    bool is_irregular; /* a nest that was to be changed moves otherwise with what is around it */
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

/* ---- rectangular nests ---- */

/* Decides on the iterations of a loop, and writes what replaces them. */
static int try_replace(struct rewriting *rewriting, uint32_t loop, size_t at,
                       const uint64_t *numbers)
{
    const struct ft_reordering *reordering = rewriting->reordering;
    struct replacement *replacement = &rewriting->replacements[at];
    struct ft_rect_nest nest;
    bool is_one;
    FT_TRY(ft_rect_nest_read(loop, reordering->nest->tokens + at, numbers, &nest, &is_one,
                             rewriting->diag));
    if (!is_one)
        return FT_OK;
    int status = FT_OK;
    if (reordering->choose(reordering->context, &nest, &replacement->order)) {
        replacement->is_one = true;
        for (unsigned i = 0; i < nest.loop_count; i++)
            replacement->iterations[i] = nest.iterations[i];
        status = ft_loop_order_write(&nest, &replacement->order, rewriting->into, rewriting->diag);
        rewriting->changed++;
    }
    ft_rect_nest_fini(&nest);
    return status;
}

/* Writes the numbers of accesses, and 0 for all others; returns what is behind them. */
static int put_moves(const struct rewriting *rewriting, const uint32_t *tokens, size_t count,
                     const uint64_t **numbers)
{
    for (size_t at = 0; at < count;) {
        const struct ft_nest_element element = ft_nest_element(tokens + at);
        if (element.kind == FT_NEST_ACCESS)
            FT_TRY(put_number(rewriting, *(*numbers)++));
        *numbers += element.counts;
        for (size_t i = 0; i < element.counts; i++)
            FT_TRY(put_number(rewriting, 0));
        FT_TRY(put_moves(rewriting, tokens + at + element.head, element.length, numbers));
        *numbers += element.counts ? element.body : 0; /* steps */
        for (size_t i = 0; element.counts && i < element.body; i++)
            FT_TRY(put_number(rewriting, 0));
        at += element.head + element.length;
    }
    return FT_OK;
}

static bool is_still(const struct ft_rect_nest *nest)
{
    for (unsigned i = 0; i < nest->loop_count; i++)
        if (nest->iterations[i] != 0)
            return false;
    for (size_t i = 0; i < nest->access_count; i++)
        for (unsigned k = 0; k < nest->accesses[i].depth; k++)
            if (nest->accesses[i].strides[k] != 0)
                return false;
    return true;
}

/* In the other rows. */
static int put_moving(struct rewriting *rewriting, uint32_t loop, size_t at,
                      const uint64_t *numbers)
{
    const struct replacement *replacement = &rewriting->replacements[at];
    struct ft_rect_nest nest;
    struct ft_nest moves = {0};
    bool is_one;
    FT_TRY(ft_rect_nest_read(loop, rewriting->reordering->nest->tokens + at, numbers, &nest,
                             &is_one, rewriting->diag));
    if (!is_one || !is_still(&nest)) {
        rewriting->is_irregular = true;
        if (is_one)
            ft_rect_nest_fini(&nest);
        return FT_OK;
    }
    for (unsigned i = 0; i < nest.loop_count; i++)
        nest.iterations[i] = replacement->iterations[i];
    int status = ft_loop_order_write(&nest, &replacement->order, &moves, rewriting->diag);
    const uint64_t *moved = moves.numbers;
    if (!status)
        status = put_moves(rewriting, moves.tokens, moves.token_count, &moved);
    ft_nest_fini(&moves);
    ft_rect_nest_fini(&nest);
    return status;
}

/* ---- elements ---- */

static int rewrite(struct rewriting *rewriting, size_t at, size_t end, const uint64_t *numbers,
                   enum row row);

/* The head of what is not repeated: how many tokens it has is found out by close_element. */
static int open_element(const struct rewriting *rewriting, size_t at, enum row row,
                        size_t *ret_head)
{
    const uint32_t *tokens = rewriting->reordering->nest->tokens + at;
    const struct ft_nest_element element = ft_nest_element(tokens);
    *ret_head = rewriting->into->token_count;
    for (size_t i = 0; row == FIRST_ROW && i < element.head; i++)
        FT_TRY(put_token(rewriting, tokens[i]));
    return FT_OK;
}

static void close_element(const struct rewriting *rewriting, size_t head_tokens, enum row row,
                          size_t head)
{
    if (row == FIRST_ROW)
        rewriting->into->tokens[head + 1] =
            (uint32_t)(rewriting->into->token_count - head - head_tokens);
}

/* The rows of a body. */
static int rewrite_repeat(struct rewriting *rewriting, size_t at, const uint64_t *numbers,
                          enum row row)
{
    const struct ft_nest_element element =
        ft_nest_element(rewriting->reordering->nest->tokens + at);
    const size_t body = at + element.head;
    size_t head;
    FT_TRY(open_element(rewriting, at, row, &head));
    for (size_t i = 0; i < element.counts; i++)
        FT_TRY(put_number(rewriting, numbers[i]));
    const size_t before = rewriting->into->number_count;
    FT_TRY(rewrite(rewriting, body, body + element.length, numbers + element.counts, row));
    close_element(rewriting, element.head, row, head);
    if (row == FIRST_ROW)
        rewriting->into->tokens[head + 2] = (uint32_t)(rewriting->into->number_count - before);
    for (size_t i = 1; i < element.rows; i++)
        FT_TRY(rewrite(rewriting, body, body + element.length,
                       numbers + element.counts + i * element.body, STEPS_ROW));
    return FT_OK;
}

/* The part of a loop that is its iterations but for single ones; SIZE_MAX: there are several. */
static size_t main_part(const struct rewriting *rewriting, size_t loop, size_t *ret_numbers)
{
    const uint32_t *tokens = rewriting->reordering->nest->tokens;
    const struct ft_nest_element element = ft_nest_element(tokens + loop);
    size_t at = loop + element.head, numbers = 0, found = SIZE_MAX;
    for (const size_t end = at + element.length; at < end;) {
        const struct ft_nest_element part = ft_nest_element(tokens + at);
        if (part.kind != FT_NEST_ONCE) {
            if (found != SIZE_MAX || part.kind != FT_NEST_REPEAT)
                return SIZE_MAX;
            found = at;
            *ret_numbers = numbers;
        }
        numbers += ft_nest_element_numbers(&part, tokens + at);
        at += part.head + part.length;
    }
    return found;
}

/* Parts of a loop as a loop of their own. */
static int rewrite_parts(struct rewriting *rewriting, size_t loop, size_t at, size_t end,
                         const uint64_t *numbers, enum row row)
{
    const size_t loop_head = 2;
    size_t head;
    if (at == end)
        return FT_OK;
    FT_TRY(open_element(rewriting, loop, row, &head));
    FT_TRY(rewrite(rewriting, at, end, numbers, row));
    close_element(rewriting, loop_head, row, head);
    return FT_OK;
}

/* A loop that is, or was, replaced: what is before the main part, this, what is behind it. */
static int rewrite_split(struct rewriting *rewriting, size_t loop, size_t part, size_t part_number,
                         const uint64_t *numbers, enum row row)
{
    const uint32_t *tokens = rewriting->reordering->nest->tokens;
    const struct ft_nest_element element = ft_nest_element(tokens + loop);
    const struct ft_nest_element main = ft_nest_element(tokens + part);
    const size_t begin = loop + element.head;
    const size_t behind = part + main.head + main.length;
    const uint64_t *main_numbers = numbers + part_number;
    FT_TRY(rewrite_parts(rewriting, loop, begin, part, numbers, row));
    if (row == FIRST_ROW)
        FT_TRY(try_replace(rewriting, element.id, part, main_numbers));
    else if (rewriting->replacements[part].is_one)
        FT_TRY(put_moving(rewriting, element.id, part, main_numbers));
    if (!rewriting->replacements[part].is_one)
        FT_TRY(rewrite_parts(rewriting, loop, part, behind, main_numbers, row));
    return rewrite_parts(rewriting, loop, behind, begin + element.length,
                         main_numbers + ft_nest_element_numbers(&main, tokens + part), row);
}

static int rewrite_element(struct rewriting *rewriting, size_t at, const uint64_t *numbers,
                           enum row row)
{
    const uint32_t *tokens = rewriting->reordering->nest->tokens + at;
    const struct ft_nest_element element = ft_nest_element(tokens);
    size_t head, part = SIZE_MAX, part_number = 0;
    if (element.kind == FT_NEST_LOOP && rewriting->reordering->begins[element.id])
        part = main_part(rewriting, at, &part_number);
    if (part != SIZE_MAX)
        return rewrite_split(rewriting, at, part, part_number, numbers, row);
    if (element.counts)
        return rewrite_repeat(rewriting, at, numbers, row);
    FT_TRY(open_element(rewriting, at, row, &head));
    if (element.kind == FT_NEST_ACCESS)
        return put_number(rewriting, *numbers);
    FT_TRY(rewrite(rewriting, at + element.head, at + element.head + element.length, numbers, row));
    if (element.kind != FT_NEST_IRREGULAR)
        close_element(rewriting, element.head, row, head);
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
    *ret_changed = status || rewriting.is_irregular ? 0 : rewriting.changed;
    if (*ret_changed)
        *ret_nest = changed;
    else
        ft_nest_fini(&changed);
    return status;
}
