/*
 * Bytes that calloc clears are written as vectors of 16 bytes, as chunks are multiples of these, so
 * that there is a law where blocks have one; wide_vectors.h makes fewer of them when accesses are
 * made.
 */
#include "fit/skeletons/heap_calls.h"

#include <stdlib.h>

#include "engine/skeleton/irregular_search.h"
#include "fit/skeletons/nest_folding.h"
#include "fit/skeletons/nest_rewriting.h"
#include "formats/base/array.h"
#include "formats/base/hash_table.h"
#include "formats/skeleton/nest_executions.h"

#define STEP ((uint64_t)FT_STRING_VECTOR_BYTES)

static int no_memory(struct ft_diag *diag)
{
    return ft_fail_memory(diag, "calls of malloc");
}

struct written_call {
    const struct ft_heap_template *template;
    struct ft_heap_call call;
};

struct writing {
    const struct ft_heap_templates *templates;
    const struct ft_nest *nest;
    const uint64_t *before;      /* [token] (nest_executions.h) */
    const uint64_t *block_bytes; /* [block] */
    uint32_t block_count;
    struct written_call *calls;
    size_t call_count, call_capacity;
    size_t *call_of;  /* [token]: one more than the index of the call that begins there, or 0 */
    bool *is_cleared; /* [token]: of a memset that is written with the call before it */
    double changed;
    struct ft_nest *into;
    struct ft_diag *diag;
};

/* ---- which ---- */

static bool has_bases(const struct ft_heap_template *template, const struct ft_heap_call *call)
{
    bool has = !template->clear || call->places[FT_HEAP_START];
    for (size_t k = 0; k < template->number_count; k++) {
        const enum ft_heap_base base = template->numbers[k].base;
        has = has && (base == FT_HEAP_NONE || call->places[base]);
    }
    return has;
}

static double difference(uint64_t a, uint64_t b)
{
    return a > b ? (double)(a - b) : (double)(b - a);
}

/* The memset of a call, in tokens up to `end`; end: there is none. */
static size_t find_memset(const struct writing *writing, size_t at, size_t end, size_t number,
                          const struct written_call *written)
{
    const struct ft_nest_element element = ft_nest_element(writing->nest->tokens + at);
    const size_t next = at + element.head + element.length;
    number += ft_nest_element_numbers(&element, writing->nest->tokens + at);
    return next < end && written->template->clear &&
                   writing->nest->tokens[next] == written->template->clear->routine &&
                   ft_heap_ends(writing->nest, next, number).first ==
                       written->call.places[FT_HEAP_START]
               ? next
               : end;
}

static int take_call(struct writing *writing, size_t at, size_t end, size_t number,
                     uint64_t context)
{
    const struct ft_nest_element element = ft_nest_element(writing->nest->tokens + at);
    const size_t next = at + element.head + element.length;
    struct written_call written = {
        .template = ft_heap_template_of(writing->templates, context, writing->nest->tokens[at])};
    if (!written.template)
        return FT_OK;
    ft_heap_call_read(writing->templates, writing->nest, writing->block_bytes, writing->block_count,
                      at, number, &written.call);
    if (!has_bases(written.template, &written.call))
        return FT_OK;
    if (!FT_RESERVE(writing->calls, writing->call_capacity, writing->call_count + 1))
        return no_memory(writing->diag);
    writing->calls[writing->call_count++] = written;
    writing->call_of[at] = writing->call_count;
    const size_t memset = find_memset(writing, at, end, number, &written);
    if (memset < end)
        writing->is_cleared[memset] = true;
    const uint64_t accesses = writing->before[next] - writing->before[at];
    const uint64_t times = ft_heap_call_times(writing->nest, writing->before, at);
    if (ft_heap_call_shape(writing->nest, at) != written.template->shape)
        writing->changed += difference(accesses, times * written.template->accesses);
    return FT_OK;
}

static int take_calls(struct writing *writing, size_t at, size_t end, size_t number,
                      struct ft_nest_context around)
{
    uint32_t site = 0;
    while (at < end) {
        const uint32_t *tokens = writing->nest->tokens + at;
        const struct ft_nest_element element = ft_nest_element(tokens);
        const size_t body = at + element.head, next = body + element.length;
        site = element.kind == FT_NEST_ACCESS ? *tokens : site;
        if (ft_heap_is_call(writing->templates, *tokens))
            FT_TRY(take_call(writing, at, end, number, ft_hash_add(around.hash, site)));
        else if (element.length && element.kind != FT_NEST_GEOMETRIC)
            FT_TRY(take_calls(writing, body, next, number + element.counts,
                              element.kind == FT_NEST_LOOP || element.kind == FT_NEST_ROUTINE
                                  ? ft_nest_context_inside(around, *tokens)
                                  : around));
        number += ft_nest_element_numbers(&element, tokens);
        at = next;
    }
    return FT_OK;
}

/* ---- the nest with them ---- */

static int add_tokens(const struct writing *writing, const uint32_t *tokens, size_t count)
{
    const struct ft_nest_span span = {.tokens = tokens, .token_count = count};
    return ft_nest_add(writing->into, &span) ? FT_OK : no_memory(writing->diag);
}

static int add_number(const struct writing *writing, uint64_t number)
{
    const struct ft_nest_span span = {.numbers = &number, .number_count = 1};
    return ft_nest_add(writing->into, &span) ? FT_OK : no_memory(writing->diag);
}

static int write_tokens(const struct writing *writing, const struct ft_heap_template *template)
{
    FT_TRY(add_tokens(writing, template->tokens, template->token_count));
    if (!template->clear)
        return FT_OK;
    const struct ft_string_access *accesses = template->clear->accesses;
    const uint32_t memset[] = {template->clear->routine,
                               6,
                               ft_nest_token(FT_NEST_REPEAT, 0),
                               1,
                               1,
                               accesses[0].store,
                               accesses[1].store,
                               accesses[2].load};
    return add_tokens(writing, memset, sizeof memset / sizeof *memset);
}

/* Where a base is (is_first), or how it moves; without a number of its own as the block does. */
static uint64_t base_at(const struct written_call *written, enum ft_heap_base base,
                        const uint64_t *numbers, bool is_first)
{
    const size_t *at = written->call.numbers;
    if (base == FT_HEAP_NONE)
        return 0;
    if (is_first)
        return written->call.places[base];
    if (at[base] == FT_HEAP_NO_NUMBER && base != FT_HEAP_STACK)
        base = base == FT_HEAP_START ? FT_HEAP_END : FT_HEAP_START;
    return at[base] == FT_HEAP_NO_NUMBER ? 0 : numbers[at[base]];
}

static int write_clear(const struct writing *writing, const struct written_call *written,
                       const uint64_t *numbers, bool is_first)
{
    const struct ft_heap_template *template = written->template;
    const uint64_t start = base_at(written, FT_HEAP_START, numbers, is_first);
    const uint64_t end = base_at(written, FT_HEAP_END, numbers, is_first);
    const uint64_t stack = base_at(written, FT_HEAP_STACK, numbers, is_first);
    const int64_t steps = (int64_t)(end - start) / (int64_t)STEP;
    FT_TRY(add_number(writing, (uint64_t)steps));
    FT_TRY(add_number(writing, start));
    FT_TRY(add_number(writing, is_first ? STEP : 0));
    FT_TRY(add_number(writing, end - (is_first ? template->clear->accesses[1].bytes : 0)));
    return add_number(writing, stack + (is_first ? template->clear_stack : 0));
}

static int write_numbers(const struct writing *writing, const struct written_call *written,
                         const uint64_t *numbers, bool is_first)
{
    const struct ft_heap_template *template = written->template;
    for (size_t k = 0; k < template->number_count; k++) {
        const struct ft_heap_number *number = &template->numbers[k];
        FT_TRY(add_number(writing, base_at(written, number->base, numbers, is_first) +
                                       (is_first ? number->value : 0)));
    }
    return template->clear ? write_clear(writing, written, numbers, is_first) : FT_OK;
}

static int rewrite_call(void *context, size_t at, size_t number, bool is_first, bool *ret_done,
                        struct ft_diag *diag)
{
    const struct writing *writing = context;
    (void)diag;
    *ret_done = writing->call_of[at] || writing->is_cleared[at];
    if (!writing->call_of[at])
        return FT_OK;
    const struct written_call *written = &writing->calls[writing->call_of[at] - 1];
    if (is_first)
        FT_TRY(write_tokens(writing, written->template));
    return write_numbers(writing, written, writing->nest->numbers + number, is_first);
}

/* Marks the loops around calls. */
static bool mark(const struct ft_heap_templates *templates, const struct ft_nest *nest, size_t at,
                 size_t end, bool *is_run)
{
    bool has_calls = false;
    while (at < end) {
        const struct ft_nest_element element = ft_nest_element(nest->tokens + at);
        const size_t body = at + element.head, next = body + element.length;
        const bool found = ft_heap_is_call(templates, nest->tokens[at]) ||
                           (element.length && mark(templates, nest, body, next, is_run));
        is_run[at] = found && element.kind == FT_NEST_LOOP;
        has_calls = has_calls || found;
        at = next;
    }
    return has_calls;
}

static int write_nest(struct writing *writing, const struct ft_loop_contexts *kept_runs)
{
    struct ft_nest *into = writing->into;
    FT_TRY(take_calls(writing, 0, writing->nest->token_count, 0, (struct ft_nest_context){0}));
    FT_TRY(ft_nest_rewrite(writing->nest, writing->nest->tokens, rewrite_call, writing, into,
                           writing->diag));
    bool *is_run = calloc(into->token_count + 1, sizeof *is_run);
    if (!is_run)
        return no_memory(writing->diag);
    mark(writing->templates, into, 0, into->token_count, is_run);
    const int status = ft_nest_fold_again(is_run, kept_runs, into, writing->diag);
    free(is_run);
    return status;
}

int ft_heap_calls_write(const struct ft_heap_templates *templates, const struct ft_nest *nest,
                        const struct ft_block_events *blocks,
                        const struct ft_loop_contexts *kept_runs, struct ft_nest *ret_nest,
                        double *ret_changed, struct ft_diag *diag)
{
    struct ft_nest_executions executions;
    struct ft_nest into = {0};
    FT_TRY(ft_nest_executions_make(nest, &executions, diag));
    uint64_t *block_bytes = ft_heap_block_bytes(blocks);
    struct writing writing = {.templates = templates,
                              .nest = nest,
                              .before = executions.before,
                              .block_bytes = block_bytes,
                              .block_count = blocks->block_count,
                              .call_of = calloc(nest->token_count + 1, sizeof(size_t)),
                              .is_cleared = calloc(nest->token_count + 1, sizeof(bool)),
                              .into = &into,
                              .diag = diag};
    const int status = block_bytes && writing.call_of && writing.is_cleared
                           ? write_nest(&writing, kept_runs)
                           : no_memory(diag);
    free(writing.is_cleared);
    free(writing.call_of);
    free(writing.calls);
    free(block_bytes);
    ft_nest_executions_fini(&executions);
    if (status) {
        ft_nest_fini(&into);
        return status;
    }
    *ret_changed = writing.changed;
    *ret_nest = into;
    return FT_OK;
}
