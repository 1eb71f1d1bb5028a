#include "fit/skeletons/common_steps.h"

#include <stdlib.h>

#include "engine/skeleton/irregular_search.h"
#include "fit/skeletons/nest_rewriting.h"
#include "formats/base/array.h"

#define STEPS_MAX 16U /* each gets numbers of its own */

/* An entry of a loop at a size. */
struct entry {
    uint64_t context, iterations;
    size_t parts, size;
};

struct entries {
    struct entry *entries;
    size_t count, capacity;
};

static int no_memory(struct ft_diag *diag)
{
    return ft_fail_memory(diag, "steps of several sizes");
}

/* Calls for each loop that nothing around repeats. number: its first. */
typedef int visitor(void *context, const struct ft_nest *nest, size_t at, size_t number,
                    uint64_t loop, struct ft_diag *diag);

static int visit_loops(const struct ft_nest *nest, const uint32_t *names, size_t at, size_t end,
                       size_t number, struct ft_nest_context around, visitor *visit, void *context,
                       struct ft_diag *diag)
{
    while (at < end) {
        const struct ft_nest_element element = ft_nest_element(nest->tokens + at);
        const bool is_named = element.kind == FT_NEST_LOOP || element.kind == FT_NEST_ROUTINE;
        const struct ft_nest_context inside =
            is_named ? ft_nest_context_inside(around, names[at]) : around;
        if (element.kind == FT_NEST_LOOP)
            FT_TRY(visit(context, nest, at, number, inside.hash, diag));
        if (is_named || element.kind == FT_NEST_ONCE)
            FT_TRY(visit_loops(nest, names, at + element.head, at + element.head + element.length,
                               number, inside, visit, context, diag));
        number += ft_nest_element_numbers(&element, nest->tokens + at);
        at += element.head + element.length;
    }
    return FT_OK;
}

/* ---- which loops ---- */

struct finding {
    struct entries entries;
    size_t size;
};

static int add_entry(void *context, const struct ft_nest *nest, size_t at, size_t number,
                     uint64_t loop, struct ft_diag *diag)
{
    struct finding *finding = context;
    struct entries *entries = &finding->entries;
    const struct ft_nest_element element = ft_nest_element(nest->tokens + at);
    const size_t end = at + element.head + element.length;
    struct entry entry = {.context = loop, .size = finding->size};
    for (at += element.head; at < end;) {
        const struct ft_nest_element part = ft_nest_element(nest->tokens + at);
        const bool is_known = part.kind == FT_NEST_ONCE || part.kind == FT_NEST_REPEAT;
        const uint64_t times = part.kind == FT_NEST_REPEAT ? nest->numbers[number] : 1;
        /* Too many where it is neither. */
        entry.iterations += is_known && times <= STEPS_MAX ? times : STEPS_MAX + 1;
        entry.parts++;
        number += ft_nest_element_numbers(&part, nest->tokens + at);
        at += part.head + part.length;
    }
    if (!FT_RESERVE(entries->entries, entries->capacity, entries->count + 1))
        return no_memory(diag);
    entries->entries[entries->count++] = entry;
    return FT_OK;
}

static int compare(const void *a, const void *b)
{
    const struct entry *x = a, *y = b;
    return (x->context > y->context) - (x->context < y->context);
}

/* Of the entries of one loop: as many iterations each, which fold in some of them otherwise than in
 * others, at all sizes. */
static bool is_of_steps(const struct entry *entries, size_t count, size_t size_count)
{
    uint64_t sizes = 0;
    bool differs = false;
    for (size_t i = 0; i < count; i++) {
        if (entries[i].iterations != entries[0].iterations)
            return false;
        differs = differs || entries[i].parts != entries[0].parts;
        sizes |= UINT64_C(1) << entries[i].size;
    }
    return differs && entries[0].iterations <= STEPS_MAX &&
           sizes == (UINT64_C(1) << size_count) - 1;
}

int ft_common_steps_find(const struct ft_nest *nests, size_t size_count,
                         struct ft_loop_contexts *ret_loops, struct ft_diag *diag)
{
    struct finding finding = {0};
    struct entries *found = &finding.entries;
    struct ft_loop_contexts loops = {0};
    int status = FT_OK;
    for (; !status && finding.size < size_count; finding.size++) {
        const struct ft_nest *nest = &nests[finding.size];
        status = visit_loops(nest, nest->tokens, 0, nest->token_count, 0,
                             (struct ft_nest_context){0}, add_entry, &finding, diag);
    }
    if (!status && found->count)
        qsort(found->entries, found->count, sizeof *found->entries, compare);
    for (size_t at = 0, end; !status && at < found->count; at = end) {
        const uint64_t context = found->entries[at].context;
        for (end = at; end < found->count && found->entries[end].context == context;)
            end++;
        if (is_of_steps(found->entries + at, end - at, size_count))
            status = ft_loop_contexts_add(&loops, context, diag);
    }
    free(found->entries);
    if (status) {
        ft_loop_contexts_fini(&loops);
        return status;
    }
    *ret_loops = loops;
    return FT_OK;
}

/* ---- their iterations one by one ---- */

struct unfolding {
    const struct ft_loop_contexts *loops;
    const struct ft_nest *nest;
    bool *is_unfolded; /* [token]: of a REPEAT */
    struct ft_nest *into;
};

static int mark_parts(void *context, const struct ft_nest *nest, size_t at, size_t number,
                      uint64_t loop, struct ft_diag *diag)
{
    struct unfolding *unfolding = context;
    const struct ft_nest_element element = ft_nest_element(nest->tokens + at);
    const size_t end = at + element.head + element.length;
    (void)number;
    (void)diag;
    for (at += element.head; at < end && ft_loop_contexts_have(unfolding->loops, loop);) {
        const struct ft_nest_element part = ft_nest_element(nest->tokens + at);
        unfolding->is_unfolded[at] = part.kind == FT_NEST_REPEAT;
        at += part.head + part.length;
    }
    return FT_OK;
}

static int unfold(void *context, size_t at, size_t number, bool is_first, bool *ret_done,
                  struct ft_diag *diag)
{
    const struct unfolding *unfolding = context;
    const struct ft_nest_element element = ft_nest_element(unfolding->nest->tokens + at);
    const uint64_t *numbers = unfolding->nest->numbers + number;
    (void)is_first; /* nothing around repeats */
    *ret_done = unfolding->is_unfolded[at];
    for (uint64_t i = 0; *ret_done && i < numbers[0]; i++) {
        const uint32_t head[] = {ft_nest_token(FT_NEST_ONCE, 0), (uint32_t)element.length};
        const struct ft_nest_span once = {.tokens = head, .token_count = 2};
        const struct ft_nest_span body = {.tokens = unfolding->nest->tokens + at + element.head,
                                          .token_count = element.length,
                                          .numbers = numbers + element.counts,
                                          .number_count = element.body};
        const size_t first = unfolding->into->number_count;
        if (!ft_nest_add(unfolding->into, &once) || !ft_nest_add(unfolding->into, &body))
            return no_memory(diag);
        for (size_t k = 0; k < element.body; k++)
            unfolding->into->numbers[first + k] = ft_nest_number_at(&element, numbers, k, i);
    }
    return FT_OK;
}

int ft_common_steps_unfold(const struct ft_loop_contexts *loops, const uint32_t *names,
                           struct ft_nest *nest, struct ft_diag *diag)
{
    struct ft_nest into = {0};
    struct unfolding unfolding = {.loops = loops,
                                  .nest = nest,
                                  .is_unfolded = calloc(nest->token_count + 1, sizeof(bool)),
                                  .into = &into};
    int status = unfolding.is_unfolded ? FT_OK : no_memory(diag);
    if (!status)
        status = visit_loops(nest, names, 0, nest->token_count, 0, (struct ft_nest_context){0},
                             mark_parts, &unfolding, diag);
    if (!status)
        status = ft_nest_rewrite(nest, nest->tokens, unfold, &unfolding, &into, diag);
    free(unfolding.is_unfolded);
    if (status) {
        ft_nest_fini(&into);
        return status;
    }
    ft_nest_fini(nest);
    *nest = into;
    return FT_OK;
}
