#include "fit/skeletons/common_irregulars.h"

#include <stdlib.h>

#include "engine/skeleton/irregular_search.h"
#include "formats/skeleton/nest_executions.h"

/* A loop of so many parts does not fold. */
#define PARTS_MIN 16U
/* Of all iterations of a loop so many take one of so few paths, or an inner loop is irregular. */
#define FEW_SHAPES_SHARE 0.9
#define SHAPES_MAX       16U
/* Of all accesses. */
#define SHARE_MIN 0.001

int ft_common_irregulars_add(struct ft_loop_contexts *common,
                             const struct ft_thread_skeleton *thread,
                             const struct ft_renamed_thread *renamed, struct ft_diag *diag)
{
    for (size_t i = 0; i < thread->irregular_count; i++)
        if (ft_nest_kind(thread->irregulars[i].token) == FT_NEST_LOOP && renamed->loops[i].context)
            FT_TRY(ft_loop_contexts_add(common, renamed->loops[i].context, diag));
    return FT_OK;
}

/* ---- loops that do not fold ---- */

struct searching {
    struct ft_loop_contexts *common;
    const struct ft_nest *nest;
    const bool *is_sized;
    struct ft_nest_executions executions;
    double least; /* accesses */
};

static int found_loop(void *context, struct ft_nest_context loop, struct ft_diag *diag)
{
    return ft_loop_contexts_add(context, loop.hash, diag);
}

static bool has_unsized(const struct searching *searching, size_t at, size_t length)
{
    for (size_t end = at + length; at < end;) {
        struct ft_nest_element element = ft_nest_element(searching->nest->tokens + at);
        const bool is_leaf = element.kind == FT_NEST_ACCESS || element.counts;
        if (is_leaf && !searching->is_sized[at])
            return true;
        at += element.head + (is_leaf ? element.length : 0);
    }
    return false;
}

struct shape {
    const struct ft_fold_term *part; /* one of it */
    uint64_t iterations;
};

/* Whether a few shapes make nearly all iterations: what is in them may be as regular as it likes,
 * the loop goes through them at random. */
static bool has_few_shapes(const struct ft_folding *folding)
{
    struct shape shapes[SHAPES_MAX] = {0};
    uint64_t all = 0, with_few = 0;
    for (size_t i = 0; i < folding->term_count; i++) {
        const struct ft_fold_term *part = &folding->terms[i];
        size_t at = 0;
        all += part->count;
        while (at < SHAPES_MAX && shapes[at].part && !ft_fold_same_shape(shapes[at].part, part))
            at++;
        if (at == SHAPES_MAX)
            continue;
        shapes[at].part = part;
        shapes[at].iterations += part->count;
        with_few += part->count;
    }
    return (double)with_few >= FEW_SHAPES_SHARE * (double)all;
}

/* The parts of a loop as they were when it was folded. */
static int search_parts(const struct searching *searching, size_t at, size_t length,
                        const uint64_t *numbers, struct ft_nest_context loop, struct ft_diag *diag)
{
    const struct ft_nest *nest = searching->nest;
    const size_t count = ft_nest_element_count(nest->tokens + at, length);
    struct ft_folding folding = {.terms = calloc(count, sizeof *folding.terms)};
    if (!folding.terms)
        return ft_fail_memory(diag, "irregular loops");
    for (size_t end = at + length; at < end;) {
        struct ft_nest_element element = ft_nest_element(nest->tokens + at);
        const size_t own = ft_nest_element_numbers(&element, nest->tokens + at);
        const bool repeats = element.counts;
        folding.terms[folding.term_count++] =
            (struct ft_fold_term){.count = repeats ? numbers[0] : 1,
                                  .tokens = nest->tokens + at + element.head,
                                  .first = (uint64_t *)numbers + element.counts,
                                  .steps = (uint64_t *)numbers + element.counts + element.body,
                                  .token_count = (uint32_t)element.length,
                                  .number_count = (uint32_t)(repeats ? element.body : own),
                                  .is_geometric = element.kind == FT_NEST_GEOMETRIC};
        numbers += own;
        at += element.head + element.length;
    }
    int status = has_few_shapes(&folding) ? found_loop(searching->common, loop, diag)
                                          : ft_irregular_search_terms(&folding, loop, found_loop,
                                                                      searching->common, diag);
    free(folding.terms);
    return status;
}

/* is_unsized: inside a leaf that has no laws. */
static int search(const struct searching *searching, size_t at, size_t length,
                  const uint64_t *numbers, struct ft_nest_context around, bool is_unsized,
                  struct ft_diag *diag)
{
    const struct ft_nest *nest = searching->nest;
    const uint64_t *before = searching->executions.before;
    for (size_t end = at + length; at < end;) {
        struct ft_nest_element element = ft_nest_element(nest->tokens + at);
        const size_t first = at + element.head, next = first + element.length;
        const bool is_repeat = element.counts;
        const bool matters = (double)(before[next] - before[at]) >= searching->least;
        struct ft_nest_context inside = around;
        if (element.kind == FT_NEST_LOOP || element.kind == FT_NEST_ROUTINE)
            inside = ft_nest_context_inside(around, nest->tokens[at]);
        if (element.kind == FT_NEST_LOOP && matters &&
            ft_nest_element_count(nest->tokens + first, element.length) >= PARTS_MIN &&
            (is_unsized || has_unsized(searching, first, element.length)))
            FT_TRY(search_parts(searching, first, element.length, numbers, inside, diag));
        if (element.length && matters && !(is_repeat && !is_unsized && searching->is_sized[at]))
            FT_TRY(search(searching, first, element.length, numbers + element.counts, inside,
                          is_unsized || is_repeat, diag));
        numbers += ft_nest_element_numbers(&element, nest->tokens + at);
        at = next;
    }
    return FT_OK;
}

int ft_common_irregulars_search(struct ft_loop_contexts *common, const struct ft_nest *nest,
                                const bool *is_sized, struct ft_diag *diag)
{
    struct searching searching = {.common = common, .nest = nest, .is_sized = is_sized};
    FT_TRY(ft_nest_executions_make(nest, &searching.executions, diag));
    searching.least = SHARE_MIN * (double)searching.executions.before[nest->token_count];
    int status = search(&searching, 0, nest->token_count, nest->numbers,
                        (struct ft_nest_context){0}, false, diag);
    ft_nest_executions_fini(&searching.executions);
    return status;
}
