/*
 * The iterations of a loop that does not fold are compared: which references they have outside of
 * inner loops. Then the nest is written without those that some have and others have not, if they
 * are few.
 */
#include "fit/skeletons/sporadic_accesses.h"

#include <stdlib.h>

#include "engine/skeleton/irregular_search.h"
#include "fit/skeletons/nest_folding.h"
#include "fit/skeletons/nest_rewriting.h"
#include "formats/base/array.h"
#include "formats/skeleton/nest_executions.h"
#include "formats/skeleton/places.h"

/* A loop of so many different iterations in a row does not fold. */
#define PARTS_MIN 16U
/* So many have an access, and so many have not: it is no matter of the first or last ones. */
#define EITHER_MIN 3U
/* Of a loop's accesses: more may be what it is about. */
#define SHARE_MAX 0.01

static int no_memory(struct ft_diag *diag)
{
    return ft_fail_memory(diag, "sporadic accesses");
}

void ft_sporadic_accesses_fini(struct ft_sporadic_accesses *sporadic)
{
    free(sporadic->accesses);
    *sporadic = (struct ft_sporadic_accesses){0};
}

static bool is_sporadic(const struct ft_sporadic_accesses *sporadic, uint64_t context,
                        uint32_t reference)
{
    for (size_t i = 0; i < sporadic->count; i++)
        if (sporadic->accesses[i].context == context &&
            sporadic->accesses[i].reference == reference)
            return true;
    return false;
}

static struct ft_nest_context inside_of(const struct ft_nest *nest, size_t at,
                                        struct ft_nest_context around)
{
    const enum ft_nest_kind kind = ft_nest_kind(nest->tokens[at]);
    return kind == FT_NEST_LOOP || kind == FT_NEST_ROUTINE
               ? ft_nest_context_inside(around, nest->tokens[at])
               : around;
}

/* ---- which ---- */

/* A reference in the iterations of a loop. */
struct seen {
    uint32_t reference;
    uint64_t iterations; /* that have it */
    uint64_t last;       /* of these */
    double accesses;
    bool is_in_block;
};

struct comparing {
    const struct ft_nest *nest;
    const uint64_t *before; /* [token] (nest_executions.h) */
    struct seen *seen;
    size_t seen_count, seen_capacity;
    uint64_t iterations;
};

static int see(struct comparing *comparing, uint32_t reference, uint64_t place, double accesses,
               struct ft_diag *diag)
{
    size_t i = 0;
    while (i < comparing->seen_count && comparing->seen[i].reference != reference)
        i++;
    if (!FT_RESERVE(comparing->seen, comparing->seen_capacity, comparing->seen_count + 1))
        return no_memory(diag);
    struct seen *seen = &comparing->seen[i];
    if (i == comparing->seen_count) {
        *seen = (struct seen){.reference = reference};
        comparing->seen_count++;
    }
    seen->iterations += seen->last != comparing->iterations;
    seen->last = comparing->iterations;
    seen->accesses += accesses;
    seen->is_in_block = seen->is_in_block || ft_is_in_block(place);
    return FT_OK;
}

/* What an iteration does outside of inner loops. */
static int see_iteration(struct comparing *comparing, size_t at, size_t length,
                         const uint64_t *numbers, struct ft_diag *diag)
{
    for (const size_t end = at + length; at < end;) {
        const uint32_t *tokens = comparing->nest->tokens + at;
        const struct ft_nest_element element = ft_nest_element(tokens);
        if (element.kind == FT_NEST_ACCESS)
            FT_TRY(see(comparing, element.id, *numbers,
                       (double)(comparing->before[at + 1] - comparing->before[at]), diag));
        else if (element.kind == FT_NEST_ROUTINE)
            FT_TRY(see_iteration(comparing, at + element.head, element.length, numbers, diag));
        numbers += ft_nest_element_numbers(&element, tokens);
        at += element.head + element.length;
    }
    return FT_OK;
}

/* The parts of a loop, and those in them: iterations that are alike count once. */
static int see_parts(struct comparing *comparing, size_t at, size_t length, const uint64_t *numbers,
                     struct ft_diag *diag)
{
    for (const size_t end = at + length; at < end;) {
        const uint32_t *tokens = comparing->nest->tokens + at;
        const struct ft_nest_element element = ft_nest_element(tokens);
        const size_t body = at + element.head;
        if (element.length && ft_nest_is_part(ft_nest_kind(comparing->nest->tokens[body]))) {
            FT_TRY(see_parts(comparing, body, element.length, numbers + element.counts, diag));
        } else if (element.length) {
            comparing->iterations++;
            FT_TRY(see_iteration(comparing, body, element.length, numbers + element.counts, diag));
        }
        numbers += ft_nest_element_numbers(&element, tokens);
        at += element.head + element.length;
    }
    return FT_OK;
}

static bool is_sometimes(const struct comparing *comparing, const struct seen *seen)
{
    return !seen->is_in_block && seen->iterations >= EITHER_MIN &&
           comparing->iterations >= seen->iterations + EITHER_MIN;
}

static int add_seen(struct ft_sporadic_accesses *sporadic, const struct comparing *comparing,
                    uint64_t context, double accesses, struct ft_diag *diag)
{
    double sum = 0;
    for (size_t i = 0; i < comparing->seen_count; i++)
        if (is_sometimes(comparing, &comparing->seen[i]))
            sum += comparing->seen[i].accesses;
    for (size_t i = 0; sum <= SHARE_MAX * accesses && i < comparing->seen_count; i++) {
        const uint32_t reference = comparing->seen[i].reference;
        if (!is_sometimes(comparing, &comparing->seen[i]) ||
            is_sporadic(sporadic, context, reference))
            continue;
        if (!FT_RESERVE(sporadic->accesses, sporadic->capacity, sporadic->count + 1))
            return no_memory(diag);
        sporadic->accesses[sporadic->count++] = (struct ft_sporadic_access){context, reference};
    }
    return FT_OK;
}

static int find(struct ft_sporadic_accesses *sporadic, struct comparing *comparing, size_t at,
                size_t length, const uint64_t *numbers, struct ft_nest_context around,
                struct ft_diag *diag)
{
    const struct ft_nest *nest = comparing->nest;
    for (const size_t end = at + length; at < end;) {
        const struct ft_nest_element element = ft_nest_element(nest->tokens + at);
        const struct ft_nest_context inside = inside_of(nest, at, around);
        const size_t body = at + element.head, next = body + element.length;
        if (element.kind == FT_NEST_LOOP &&
            ft_nest_element_count(nest->tokens + body, element.length) >= PARTS_MIN) {
            comparing->seen_count = comparing->iterations = 0;
            FT_TRY(see_parts(comparing, body, element.length, numbers, diag));
            FT_TRY(add_seen(sporadic, comparing, inside.hash,
                            (double)(comparing->before[next] - comparing->before[at]), diag));
        }
        if (element.length)
            FT_TRY(find(sporadic, comparing, body, element.length, numbers + element.counts, inside,
                        diag));
        numbers += ft_nest_element_numbers(&element, nest->tokens + at);
        at = next;
    }
    return FT_OK;
}

int ft_sporadic_accesses_find(struct ft_sporadic_accesses *sporadic, const struct ft_nest *nest,
                              struct ft_diag *diag)
{
    struct ft_nest_executions executions;
    FT_TRY(ft_nest_executions_make(nest, &executions, diag));
    struct comparing comparing = {.nest = nest, .before = executions.before};
    const int status = find(sporadic, &comparing, 0, nest->token_count, nest->numbers,
                            (struct ft_nest_context){0}, diag);
    free(comparing.seen);
    ft_nest_executions_fini(&executions);
    return status;
}

/* ---- the nest without them ---- */

struct leaving {
    const struct ft_sporadic_accesses *sporadic;
    const struct ft_nest *nest;
    bool *is_left_out; /* [token] */
    bool *is_run;      /* [token of what is written]: loops that have such */
    struct ft_nest *into;
};

/* Accesses, and brackets in which nothing else is; whether all of these elements. loop: the
 * innermost one. */
static bool mark(const struct leaving *leaving, size_t at, size_t length,
                 struct ft_nest_context around, struct ft_nest_context loop)
{
    bool are_all = true;
    for (const size_t end = at + length; at < end;) {
        const struct ft_nest_element element = ft_nest_element(leaving->nest->tokens + at);
        const struct ft_nest_context inside = inside_of(leaving->nest, at, around);
        bool is = false;
        if (element.kind == FT_NEST_ACCESS)
            is = is_sporadic(leaving->sporadic, loop.hash, element.id);
        else if (element.length)
            is = mark(leaving, at + element.head, element.length, inside,
                      element.kind == FT_NEST_LOOP ? inside : loop);
        leaving->is_left_out[at] = is;
        are_all = are_all && is;
        at += element.head + element.length;
    }
    return are_all;
}

static bool has_left_out(const struct leaving *leaving, size_t at, size_t length)
{
    for (const size_t end = at + length; at < end;
         at += ft_nest_element(leaving->nest->tokens + at).head)
        if (leaving->is_left_out[at])
            return true;
    return false;
}

static int rewrite(void *context, size_t at, size_t number, bool is_first, bool *ret_done,
                   struct ft_diag *diag)
{
    const struct leaving *leaving = context;
    const struct ft_nest_element element = ft_nest_element(leaving->nest->tokens + at);
    (void)number;
    (void)diag;
    *ret_done = leaving->is_left_out[at];
    if (!*ret_done && is_first)
        leaving->is_run[leaving->into->token_count] =
            element.kind == FT_NEST_LOOP &&
            has_left_out(leaving, at + element.head, element.length);
    return FT_OK;
}

static int count_left_out(const struct leaving *leaving, uint64_t *ret_left_out,
                          uint32_t reference_count, struct ft_diag *diag)
{
    struct ft_nest_executions executions;
    FT_TRY(ft_nest_executions_make(leaving->nest, &executions, diag));
    for (size_t at = 0; at < leaving->nest->token_count;) {
        const struct ft_nest_element element = ft_nest_element(leaving->nest->tokens + at);
        if (element.kind == FT_NEST_ACCESS && leaving->is_left_out[at] &&
            element.id < reference_count)
            ret_left_out[element.id] += executions.before[at + 1] - executions.before[at];
        at += element.head; /* into the brackets */
    }
    ft_nest_executions_fini(&executions);
    return FT_OK;
}

int ft_sporadic_accesses_leave_out(const struct ft_sporadic_accesses *sporadic,
                                   const struct ft_loop_contexts *kept_runs,
                                   const struct ft_nest *nest, struct ft_nest *ret_nest,
                                   uint64_t *ret_left_out, uint32_t reference_count,
                                   struct ft_diag *diag)
{
    const struct ft_nest_context none = {0};
    struct ft_nest into = {0};
    struct leaving leaving = {.sporadic = sporadic,
                              .nest = nest,
                              .is_left_out = calloc(nest->token_count + 1, sizeof(bool)),
                              .is_run = calloc(nest->token_count + 1, sizeof(bool)),
                              .into = &into};
    int status = leaving.is_left_out && leaving.is_run ? FT_OK : no_memory(diag);
    if (!status) {
        mark(&leaving, 0, nest->token_count, none, none);
        status = ft_nest_rewrite(nest, nest->tokens, rewrite, &leaving, &into, diag);
    }
    if (!status)
        status = count_left_out(&leaving, ret_left_out, reference_count, diag);
    if (!status)
        status = ft_nest_fold_again(leaving.is_run, kept_runs, &into, diag);
    free(leaving.is_left_out);
    free(leaving.is_run);
    if (status) {
        ft_nest_fini(&into);
        return status;
    }
    *ret_nest = into;
    return FT_OK;
}
