/*
 * The nest is run through a builder (nest_building.h) that knows of the irregular loops, of those
 * whose runs are kept, and of those that are cut. Loops that have none of these inside are taken as
 * they are; of the others each iteration is.
 */
#include "engine/skeleton/refolding.h"

#include <stdlib.h>
#include <string.h>

#include "engine/skeleton/irregular_search.h"
#include "engine/skeleton/nest_building.h"

/* Of a builder: what the nest holds already is kept. Multiplied for threads. */
#define NO_LIMIT (SIZE_MAX / 64)

struct running {
    const struct ft_refolding *refolding;
    const struct ft_nest *nest;
    bool *is_run; /* [token]: loops to change are in the brackets that it opens, or it is one */
    bool *is_cut; /* [token]: a loop that is cut */
    struct ft_nest_builder *builder;
    size_t depth;     /* levels of the builder */
    size_t cut_depth; /* those that are cut */
    struct ft_diag *diag;
};

static bool is_among(const uint64_t *contexts, size_t count, uint64_t context)
{
    for (size_t i = 0; i < count; i++)
        if (contexts[i] == context)
            return true;
    return false;
}

/* ---- which loops ---- */

/* Tells the builder of a loop that changes. */
static int change(const struct running *running, uint64_t named, struct ft_nest_context own,
                  bool *ret_found)
{
    const struct ft_refolding *refolding = running->refolding;
    if (is_among(refolding->contexts, refolding->context_count, named)) {
        *ret_found = true;
        FT_TRY(ft_nest_builder_is_irregular(running->builder, own, running->diag));
    }
    if (is_among(refolding->kept_runs, refolding->kept_run_count, named)) {
        *ret_found = true;
        FT_TRY(ft_nest_builder_keeps_runs(running->builder, own, running->diag));
    }
    return FT_OK;
}

/* NULL: the loop is not cut. */
static struct ft_loop_cut *find_cut(const struct ft_refolding *refolding, uint64_t context)
{
    for (size_t i = 0; i < refolding->cut_count; i++)
        if (refolding->cuts[i].context == context)
            return &refolding->cuts[i];
    return NULL;
}

static int cut(const struct running *running, size_t at, uint64_t named, struct ft_nest_context own,
               bool *ret_found)
{
    struct ft_loop_cut *found = find_cut(running->refolding, named);
    if (!found)
        return FT_OK;
    *ret_found = running->is_cut[at] = true;
    return ft_nest_builder_cuts(running->builder, own, found, running->diag);
}

/* Marks the brackets around the loops that change. */
static int mark(const struct running *running, size_t at, size_t length,
                struct ft_nest_context named, struct ft_nest_context own, bool *ret_found)
{
    for (size_t end = at + length; at < end;) {
        struct ft_nest_element element = ft_nest_element(running->nest->tokens + at);
        struct ft_nest_context inside_named = named, inside_own = own;
        bool found = running->refolding->is_run && running->refolding->is_run[at];
        if (element.kind == FT_NEST_LOOP || element.kind == FT_NEST_ROUTINE) {
            inside_named = ft_nest_context_inside(named, running->refolding->names[at]);
            inside_own = ft_nest_context_inside(own, running->nest->tokens[at]);
        }
        if (element.kind == FT_NEST_LOOP) {
            FT_TRY(change(running, inside_named.hash, inside_own, &found));
            FT_TRY(cut(running, at, inside_named.hash, inside_own, &found));
        }
        FT_TRY(mark(running, at + element.head, element.length, inside_named, inside_own, &found));
        running->is_run[at] = found;
        *ret_found = *ret_found || found;
        at += element.head + element.length;
    }
    return FT_OK;
}

/* ---- running the nest ---- */

static int run_body(struct running *running, size_t at, size_t length, const uint64_t *numbers);

static int run_iterations(struct running *running, size_t at, size_t length,
                          const uint64_t *numbers);

/* The iterations of a repetition, each a body, or a sequence of parts. */
static int run_repeat(struct running *running, size_t at, const struct ft_nest_element *element,
                      const uint64_t *numbers)
{
    const uint32_t *tokens = running->nest->tokens + at + element->head;
    const bool is_parts = ft_nest_is_part(ft_nest_kind(*tokens));
    uint64_t *body = malloc((element->body + 1) * sizeof *body);
    if (!body)
        return ft_fail_memory(running->diag, "a loop nest");
    int status = FT_OK;
    for (uint64_t i = 0; !status && i < numbers[0]; i++) {
        const struct ft_nest_time time = ft_nest_time(element, tokens, numbers, i);
        const size_t first = at + element->head + time.at;
        for (size_t k = 0; k < element->body; k++)
            body[k] = ft_nest_number_at(element, numbers, k, i);
        if (is_parts) {
            status = run_iterations(running, first, time.end - time.at, body + time.number);
        } else {
            status = run_body(running, first, time.end - time.at, body + time.number);
            if (!status)
                status = ft_nest_builder_iterate(running->builder, running->diag);
        }
    }
    free(body);
    return status;
}

/* The parts of a loop. */
static int run_iterations(struct running *running, size_t at, size_t length,
                          const uint64_t *numbers)
{
    for (size_t end = at + length; at < end;) {
        struct ft_nest_element element = ft_nest_element(running->nest->tokens + at);
        const uint32_t *first = running->nest->tokens + at + element.head;
        if (element.counts) {
            FT_TRY(run_repeat(running, at, &element, numbers));
        } else if (element.kind == FT_NEST_ONCE && ft_nest_is_part(ft_nest_kind(*first))) {
            FT_TRY(run_iterations(running, at + element.head, element.length, numbers));
        } else {
            const bool is_once = element.kind == FT_NEST_ONCE;
            FT_TRY(run_body(running, at + (is_once ? element.head : 0),
                            element.length + (is_once ? 0 : element.head), numbers));
            FT_TRY(ft_nest_builder_iterate(running->builder, running->diag));
        }
        numbers += ft_nest_element_numbers(&element, running->nest->tokens + at);
        at += element.head + element.length;
    }
    return FT_OK;
}

/* What is in an iteration, or in the thread. */
static int run_body(struct running *running, size_t at, size_t length, const uint64_t *numbers)
{
    for (size_t end = at + length; at < end;) {
        const uint32_t *tokens = running->nest->tokens + at;
        struct ft_nest_element element = ft_nest_element(tokens);
        const size_t count = ft_nest_element_numbers(&element, tokens);
        const bool is_taken = !running->refolding->only_cuts || running->cut_depth > 0;
        if (!running->is_run[at] && is_taken) {
            const struct ft_nest_span span = {tokens, element.head + element.length, numbers,
                                              count};
            FT_TRY(ft_nest_builder_add(running->builder, &span, running->diag));
        } else if (running->is_run[at]) {
            FT_TRY(
                ft_nest_builder_enter(running->builder, element.kind, element.id, running->diag));
            running->depth++;
            running->cut_depth += running->is_cut[at];
            FT_TRY(element.kind == FT_NEST_LOOP
                       ? run_iterations(running, at + element.head, element.length, numbers)
                       : run_body(running, at + element.head, element.length, numbers));
            running->cut_depth -= running->is_cut[at];
            FT_TRY(ft_nest_builder_leave(running->builder, --running->depth, running->diag));
        }
        numbers += count;
        at += element.head + element.length;
    }
    return FT_OK;
}

static bool has_irregular(const struct ft_refolding *refolding, size_t at, size_t length,
                          struct ft_nest_context around)
{
    for (size_t end = at + length; at < end;) {
        struct ft_nest_element element = ft_nest_element(refolding->thread->nest.tokens + at);
        struct ft_nest_context inside = around;
        if (element.kind == FT_NEST_LOOP || element.kind == FT_NEST_ROUTINE)
            inside = ft_nest_context_inside(around, refolding->names[at]);
        if ((element.kind == FT_NEST_LOOP &&
             (is_among(refolding->contexts, refolding->context_count, inside.hash) ||
              find_cut(refolding, inside.hash))) ||
            has_irregular(refolding, at + element.head, element.length, inside))
            return true;
        at += element.head + element.length;
    }
    return false;
}

bool ft_nest_must_refold(const struct ft_refolding *refolding)
{
    return has_irregular(refolding, 0, refolding->thread->nest.token_count,
                         (struct ft_nest_context){0});
}

int ft_nest_refold(const struct ft_refolding *refolding, struct ft_thread_skeleton *ret_thread,
                   struct ft_diag *diag)
{
    const struct ft_nest *nest = &refolding->thread->nest;
    struct running running = {.refolding = refolding, .nest = nest, .diag = diag};
    bool found = false;
    FT_TRY(ft_nest_builder_create(refolding->reference_count, refolding->routine_count,
                                  &running.builder, diag));
    ft_nest_builder_limit(running.builder, NO_LIMIT);
    running.is_run = calloc(nest->token_count + 1, sizeof *running.is_run);
    running.is_cut = calloc(nest->token_count + 1, sizeof *running.is_cut);
    int status = running.is_run && running.is_cut ? FT_OK : ft_fail_memory(diag, "a loop nest");
    if (!status)
        status = ft_nest_builder_begin_with(running.builder, refolding->thread, diag);
    if (!status)
        status = mark(&running, 0, nest->token_count, (struct ft_nest_context){0},
                      (struct ft_nest_context){0}, &found);
    if (!status)
        status = run_body(&running, 0, nest->token_count, nest->numbers);
    if (!status)
        status = ft_nest_builder_end(running.builder, ret_thread, diag);
    ft_nest_builder_destroy(running.builder);
    free(running.is_run);
    free(running.is_cut);
    return status;
}
