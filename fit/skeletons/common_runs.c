#include "fit/skeletons/common_runs.h"

#include <stdlib.h>
#include <string.h>

#include "engine/skeleton/irregular_search.h"
#include "formats/base/array.h"

/* Iterations with runs among them that recur in a loop at a size. */
struct period {
    uint64_t context;
    uint64_t iterations;
    size_t size;
};

struct periods {
    struct period *periods;
    size_t count, capacity;
};

/* ---- periods of a size ---- */

/* The iterations of parts, each of one or more iterations without parts of their own; 0: there is
 * no run among them, or they are not as many each time. steps: of the parts' numbers. */
static uint64_t iterations_of(const uint32_t *tokens, size_t token_count, const uint64_t *numbers,
                              const uint64_t *steps)
{
    const uint32_t *before = NULL;
    size_t before_length = 0;
    uint64_t iterations = 0;
    bool has_run = false;
    for (size_t at = 0; at < token_count;) {
        const struct ft_nest_element part = ft_nest_element(tokens + at);
        const size_t own = ft_nest_element_numbers(&part, tokens + at);
        const uint32_t *body = tokens + at + part.head;
        const bool repeats = part.kind == FT_NEST_REPEAT;
        if ((!repeats && part.kind != FT_NEST_ONCE) || ft_nest_is_part(ft_nest_kind(*body)) ||
            (repeats && steps[0] != 0))
            return 0;
        has_run =
            has_run || (repeats && numbers[0] > 1) ||
            (part.length == before_length && memcmp(before, body, part.length * sizeof *body) == 0);
        iterations += repeats ? numbers[0] : 1;
        before = body;
        before_length = part.length;
        numbers += own;
        steps += own;
        at += part.head + part.length;
    }
    return has_run ? iterations : 0;
}

static int find_periods(const struct ft_nest *nest, size_t at, size_t length,
                        const uint64_t *numbers, struct ft_nest_context loop, size_t size,
                        struct periods *periods, struct ft_diag *diag)
{
    for (size_t end = at + length; at < end;) {
        const struct ft_nest_element element = ft_nest_element(nest->tokens + at);
        const uint32_t *body = nest->tokens + at + element.head;
        const bool is_named = element.kind == FT_NEST_LOOP || element.kind == FT_NEST_ROUTINE;
        const struct ft_nest_context inside =
            is_named ? ft_nest_context_inside(loop, nest->tokens[at]) : loop;
        if ((element.kind == FT_NEST_REPEAT || element.kind == FT_NEST_CYCLE) &&
            ft_nest_is_part(ft_nest_kind(*body))) {
            const uint64_t iterations =
                iterations_of(body, element.length, numbers + element.counts,
                              numbers + element.counts + element.body);
            if (iterations && !FT_RESERVE(periods->periods, periods->capacity, periods->count + 1))
                return ft_fail_memory(diag, "what recurs in loops");
            if (iterations)
                periods->periods[periods->count++] = (struct period){loop.hash, iterations, size};
        }
        FT_TRY(find_periods(nest, at + element.head, element.length, numbers + element.counts,
                            inside, size, periods, diag));
        numbers += ft_nest_element_numbers(&element, nest->tokens + at);
        at += element.head + element.length;
    }
    return FT_OK;
}

/* ---- what sizes have in common ---- */

static int compare(const void *a, const void *b)
{
    const struct period *x = a, *y = b;
    if (x->context != y->context)
        return x->context < y->context ? -1 : 1;
    if (x->iterations != y->iterations)
        return x->iterations < y->iterations ? -1 : 1;
    return (x->size > y->size) - (x->size < y->size);
}

/* The sizes, a bit each, of the periods from `at` on that are of its context, and of as many
 * iterations if that is asked for; *ret_end: behind them. Periods are sorted. */
static uint64_t sizes_of(const struct periods *periods, size_t at, bool same_iterations,
                         size_t *ret_end)
{
    const struct period *first = &periods->periods[at];
    uint64_t sizes = 0;
    for (; at < periods->count && periods->periods[at].context == first->context &&
           (!same_iterations || periods->periods[at].iterations == first->iterations);
         at++)
        sizes |= UINT64_C(1) << periods->periods[at].size;
    *ret_end = at;
    return sizes;
}

static int add_loops(const struct periods *periods, struct ft_loop_contexts *loops,
                     struct ft_diag *diag)
{
    for (size_t at = 0, end; at < periods->count; at = end) {
        const uint64_t all = sizes_of(periods, at, false, &end);
        bool common = false;
        for (size_t i = at, next; i < end; i = next)
            common = sizes_of(periods, i, true, &next) == all || common;
        if (!common) /* so two sizes at least */
            FT_TRY(ft_loop_contexts_add(loops, periods->periods[at].context, diag));
    }
    return FT_OK;
}

int ft_common_runs_add(struct ft_loop_contexts *loops, const struct ft_nest *nests,
                       size_t size_count, struct ft_diag *diag)
{
    struct periods periods = {0};
    int status = FT_OK;
    for (size_t s = 0; !status && s < size_count; s++)
        status = find_periods(&nests[s], 0, nests[s].token_count, nests[s].numbers,
                              (struct ft_nest_context){0}, s, &periods, diag);
    if (!status && periods.count) {
        qsort(periods.periods, periods.count, sizeof *periods.periods, compare);
        status = add_loops(&periods, loops, diag);
    }
    free(periods.periods);
    return status;
}
