/*
 * What calls do is judged first, in the nest as it is: by the numbers of their first execution, and
 * then by how these change with the loops around. Then the nest is written with them. In this
 * order: an access of a call, a call, all calls; tokens and numbers of a call, the nest.
 */
#include "fit/skeletons/string_calls.h"

#include <stdlib.h>

#include "fit/skeletons/nest_rewriting.h"
#include "formats/base/array.h"
#include "formats/skeleton/malloc_chunks.h"
#include "formats/x86/unit.h"

/* Shorter ones are of vectors that overlap. */
#define BYTES_MIN 64U
#define GRANULE   ((uint64_t)FT_STRING_GRANULE_BYTES)

#define NO_NUMBER SIZE_MAX

static int no_memory(struct ft_diag *diag)
{
    return ft_fail_memory(diag, "calls of string routines");
}

/* ---- what calls do ---- */

/* Bytes that are loaded, or stored. */
struct extent {
    uint64_t start;
    uint64_t end, end_max; /* of a granule that is touched in part it is not known how far */
    size_t first, last;    /* the numbers, of the call's, that say where it starts and ends */
    bool is_some, is_in_part;
};

enum role { ROLE_OTHER, ROLE_FIXED, ROLE_LOAD, ROLE_STORE };

/* A call in the nest. */
struct call {
    const struct ft_string_template *template;
    struct extent load, store;
    size_t after; /* the number of the last access of the stack */
    uint64_t bytes;
    bool is_written;
};

struct writing {
    const struct ft_string_templates *templates;
    const struct ft_skeleton *skeleton;
    const struct ft_nest *nest; /* the skeleton's */
    const uint32_t *renamed;
    uint64_t *block_bytes; /* [block] */
    bool *is_to_clear;     /* [block]: by calloc, whose call of memset has not come yet */
    struct call *calls;
    size_t call_count, call_capacity;
    size_t *call_of; /* [token]: one more than the index of the call that begins there, or 0 */
    uint8_t *roles;  /* [number of a call's first execution]: enum role */
    struct ft_nest *into;
    struct ft_diag *diag;
};

static void extend(struct extent *extent, uint64_t address, uint32_t bytes, bool is_part,
                   size_t number)
{
    const uint64_t end = address + bytes, end_max = is_part ? address + GRANULE - 1 : end;
    if (!extent->is_some || address < extent->start) {
        extent->start = address;
        extent->first = number;
    }
    if (!extent->is_some || end > extent->end) {
        extent->end = end;
        extent->last = number;
    }
    extent->is_in_part = extent->is_in_part || is_part;
    if (!extent->is_some || end_max > extent->end_max)
        extent->end_max = end_max;
    extent->is_some = true;
}

static enum role judge_access(const struct writing *writing, struct call *call, uint32_t id,
                              uint64_t place, size_t number)
{
    const struct ft_reference *reference = &writing->skeleton->references[id];
    const bool is_load = reference->kind == FT_LOAD;
    if (ft_is_on_stack(place)) {
        call->after = is_load ? number : call->after;
        call->is_written = call->is_written && is_load;
        return ROLE_OTHER;
    }
    if (is_load && (!call->template->is_copy || !ft_is_in_block(place)))
        return ROLE_OTHER;
    const bool is_part = ft_string_is_partial(writing->skeleton, id);
    struct extent *extent = is_load ? &call->load : &call->store;
    if (extent->is_some && !ft_string_is_near(place, extent->start)) {
        extent->end_max += GRANULE;
        return ROLE_OTHER;
    }
    extend(extent, place, reference->size_bytes, is_part, number);
    return is_load ? ROLE_LOAD : ROLE_STORE;
}

/* Of what is in a call. numbers: as they are in an iteration; number: where the nest has those of
 * the first one, NO_NUMBER: of others. */
static int judge_call(struct writing *writing, struct call *call, size_t at, size_t end,
                      const uint64_t *numbers, size_t number)
{
    while (at < end) {
        const uint32_t *tokens = writing->nest->tokens + at;
        const struct ft_nest_element element = ft_nest_element(tokens);
        const size_t body = at + element.head, next = body + element.length;
        const size_t count = ft_nest_element_numbers(&element, tokens);
        uint8_t *roles = number == NO_NUMBER ? NULL : writing->roles + number;
        if (element.kind == FT_NEST_ACCESS) {
            const enum role role = judge_access(writing, call, element.id, *numbers, number);
            if (roles)
                *roles = (uint8_t)role;
        } else if (element.kind == FT_NEST_REPEAT && numbers[0] > 0) {
            uint64_t *last = malloc((element.body + 1) * sizeof *last);
            if (!last)
                return no_memory(writing->diag);
            for (size_t k = 0; k < element.body; k++)
                last[k] = ft_nest_number_at(&element, numbers, k, numbers[0] - 1);
            int status =
                judge_call(writing, call, body, next, numbers + 1, roles ? number + 1 : NO_NUMBER);
            if (!status)
                status = judge_call(writing, call, body, next, last, NO_NUMBER);
            free(last);
            FT_TRY(status);
            for (size_t k = 0; roles && k < element.body; k++)
                roles[1 + element.body + k] = roles[1 + k] == ROLE_OTHER ? ROLE_OTHER : ROLE_FIXED;
            if (roles)
                *roles = ROLE_FIXED;
        } else if (element.kind == FT_NEST_LOOP || element.kind == FT_NEST_ONCE) {
            FT_TRY(judge_call(writing, call, body, next, numbers, number));
        } else {
            call->is_written = false;
        }
        numbers += count;
        number = number == NO_NUMBER ? NO_NUMBER : number + count;
        at = next;
    }
    return FT_OK;
}

/* Bytes that a call fills or copies, of those that may be: a whole block, as it was asked for or as
 * calloc clears it; or whole granules. */
static uint64_t bytes_of(const struct writing *writing, const struct extent *extent)
{
    const uint64_t place = extent->start - FT_PLACE_BLOCKS;
    const uint64_t block = place / FT_PLACE_STEP, offset = place % FT_PLACE_STEP;
    const uint64_t low = extent->end - extent->start, high = extent->end_max - extent->start;
    if (ft_is_in_block(extent->start) && block < writing->skeleton->blocks.block_count) {
        const uint64_t asked = writing->block_bytes[block];
        const bool is_by_calloc = offset == 0 && writing->is_to_clear[block];
        writing->is_to_clear[block] = false;
        const uint64_t whole = is_by_calloc ? ft_chunk_usable(asked) : asked - offset;
        if (whole >= low && whole <= high)
            return whole;
    }
    const uint64_t granules = high / GRANULE * GRANULE;
    return granules >= low ? granules : low;
}

static void count_from(struct extent *extent, size_t number)
{
    if (extent->is_some) {
        extent->first -= number;
        extent->last -= extent->last == NO_NUMBER ? 0 : number;
    }
}

static int begin_call(struct writing *writing, const struct ft_string_template *template, size_t at,
                      const struct ft_nest_element *element, size_t number)
{
    struct call call = {.template = template, .after = NO_NUMBER, .is_written = true};
    const size_t body = at + element->head;
    FT_TRY(judge_call(writing, &call, body, body + element->length, writing->nest->numbers + number,
                      number));
    call.is_written = call.is_written && call.after != NO_NUMBER && call.store.is_some &&
                      call.store.first != NO_NUMBER &&
                      (!template->is_copy || (call.load.is_some && call.load.first != NO_NUMBER));
    if (call.is_written) {
        const uint64_t bytes = bytes_of(writing, &call.store);
        call.bytes = bytes;
        call.is_written = bytes >= BYTES_MIN;
        call.after -= number;
        count_from(&call.store, number);
        count_from(&call.load, number);
    }
    if (!FT_RESERVE(writing->calls, writing->call_capacity, writing->call_count + 1))
        return no_memory(writing->diag);
    writing->calls[writing->call_count++] = call;
    writing->call_of[at] = writing->call_count;
    return FT_OK;
}

/* Whether an extent is as long in the next iteration as in this one. What is between its ends then
 * moves with them, if not at once: vectors that are aligned do when the call does by one of them.
 */
static bool keeps_length(const struct extent *extent, const uint64_t *steps)
{
    return extent->is_some && !extent->is_in_part && extent->last != NO_NUMBER &&
           steps[extent->last] == steps[extent->first];
}

/* How a call's numbers change with a loop around: all that is loaded alike, and all that is stored,
 * and as many bytes. */
static void judge_steps(const struct writing *writing, size_t at, size_t first, size_t number,
                        size_t count)
{
    struct call *call = &writing->calls[writing->call_of[at] - 1];
    const uint64_t *steps = writing->nest->numbers + number;
    if (!call->is_written || (keeps_length(&call->store, steps) &&
                              (!call->template->is_copy || keeps_length(&call->load, steps))))
        return;
    for (size_t k = 0; call->is_written && k < count; k++) {
        const enum role role = writing->roles[first + k];
        const uint64_t expected = role == ROLE_LOAD    ? steps[call->load.first]
                                  : role == ROLE_STORE ? steps[call->store.first]
                                                       : 0;
        call->is_written = role == ROLE_OTHER || steps[k] == expected;
    }
}

/* Elements from `at` to `end`; first: their numbers in the first execution;
 * number: these, or how they change. */
static int judge(struct writing *writing, size_t at, size_t end, size_t first, size_t number)
{
    while (at < end) {
        const uint32_t *tokens = writing->nest->tokens + at;
        const struct ft_nest_element element = ft_nest_element(tokens);
        const size_t body = at + element.head, next = body + element.length;
        const size_t count = ft_nest_element_numbers(&element, tokens);
        const struct ft_string_template *template =
            element.kind == FT_NEST_ROUTINE
                ? ft_string_template_of(writing->templates, writing->renamed[at])
                : NULL;
        if (template && first == number)
            FT_TRY(begin_call(writing, template, at, &element, number));
        else if (template)
            judge_steps(writing, at, first, number, count);
        else if (element.kind != FT_NEST_ACCESS && element.kind != FT_NEST_IRREGULAR)
            for (size_t row = 0; row < (element.counts ? element.rows : 1); row++)
                FT_TRY(judge(writing, body, next, first + element.counts,
                             number + element.counts + row * element.body));
        if (element.kind == FT_NEST_GEOMETRIC)
            for (size_t token = body; token < next; token++)
                if (writing->call_of[token])
                    writing->calls[writing->call_of[token] - 1].is_written = false;
        first += count;
        number += count;
        at = next;
    }
    return FT_OK;
}

/* ---- the nest with them ---- */

static int add_token(const struct writing *writing, uint32_t token)
{
    const struct ft_nest_span span = {.tokens = &token, .token_count = 1};
    return ft_nest_add(writing->into, &span) ? FT_OK : no_memory(writing->diag);
}

static int add_number(const struct writing *writing, uint64_t number)
{
    const struct ft_nest_span span = {.numbers = &number, .number_count = 1};
    return ft_nest_add(writing->into, &span) ? FT_OK : no_memory(writing->diag);
}

static int write_access_tokens(const struct writing *writing, const struct ft_string_access *access)
{
    if (access->kind == FT_STRING_GRANULES || access->kind == FT_STRING_VECTORS) {
        const uint32_t operands = access->load && access->store ? 2 : 1;
        FT_TRY(add_token(writing, ft_nest_token(FT_NEST_REPEAT, 0)));
        FT_TRY(add_token(writing, operands));
        FT_TRY(add_token(writing, operands));
    }
    if (access->load)
        FT_TRY(add_token(writing, access->load));
    return access->store ? add_token(writing, access->store) : FT_OK;
}

static int write_call_tokens(const struct writing *writing, const struct call *call)
{
    const size_t place = writing->into->token_count;
    FT_TRY(add_token(writing, call->template->routine));
    FT_TRY(add_token(writing, 0));
    for (size_t i = 0; i < call->template->count; i++)
        FT_TRY(write_access_tokens(writing, &call->template->accesses[i]));
    writing->into->tokens[place + 1] = (uint32_t)(writing->into->token_count - place - 2);
    return FT_OK;
}

/* numbers: of the call, in its first execution (is_first), or how they change. */
static int write_access_numbers(const struct writing *writing, const struct call *call,
                                const struct ft_string_access *access, const uint64_t *numbers,
                                bool is_first)
{
    const bool is_vectors = access->kind == FT_STRING_VECTORS;
    const bool repeats = access->kind == FT_STRING_GRANULES || is_vectors;
    const uint64_t step = is_vectors ? access->bytes : GRANULE;
    const uint64_t left = call->bytes > access->at ? call->bytes - access->at : 0;
    uint64_t at = is_first ? access->at : 0;
    if (access->kind == FT_STRING_DATA)
        return add_number(writing, at);
    if (access->kind == FT_STRING_STACK)
        return add_number(writing, numbers[call->after]);
    if (access->kind == FT_STRING_END)
        at = is_first ? call->bytes - access->bytes : 0;
    if (repeats)
        FT_TRY(add_number(writing,
                          is_first ? (is_vectors ? left / step : (left + step - 1) / step) : 0));
    if (access->load)
        FT_TRY(add_number(writing, numbers[call->load.first] + at));
    if (access->store)
        FT_TRY(add_number(writing, numbers[call->store.first] + at));
    for (int i = 0; repeats && i < !!access->load + !!access->store; i++)
        FT_TRY(add_number(writing, is_first ? step : 0));
    return FT_OK;
}

static int write_call_numbers(const struct writing *writing, const struct call *call,
                              const uint64_t *numbers, bool is_first)
{
    for (size_t i = 0; i < call->template->count; i++)
        FT_TRY(
            write_access_numbers(writing, call, &call->template->accesses[i], numbers, is_first));
    return FT_OK;
}

static int rewrite_call(void *context, size_t at, size_t number, bool is_first, bool *ret_done,
                        struct ft_diag *diag)
{
    const struct writing *writing = context;
    const struct call *call =
        writing->call_of[at] ? &writing->calls[writing->call_of[at] - 1] : NULL;
    (void)diag;
    *ret_done = call && call->is_written;
    if (!*ret_done)
        return FT_OK;
    if (is_first)
        FT_TRY(write_call_tokens(writing, call));
    return write_call_numbers(writing, call, writing->nest->numbers + number, is_first);
}

static void note_blocks(const struct writing *writing)
{
    const struct ft_block_events *blocks = &writing->skeleton->blocks;
    for (size_t i = 0; i < blocks->event_count; i++) {
        const struct ft_block_event *event = &blocks->events[i];
        if (event->is_freed || event->block >= blocks->block_count)
            continue;
        writing->block_bytes[event->block] = event->bytes;
        writing->is_to_clear[event->block] = event->clears;
    }
}

int ft_string_calls_write(const struct ft_string_templates *templates,
                          const struct ft_skeleton *skeleton, const uint32_t *renamed,
                          struct ft_nest *ret_nest, bool *ret_found, struct ft_diag *diag)
{
    const struct ft_nest *nest = &skeleton->threads[0].nest;
    struct ft_nest into = {0};
    struct writing writing = {
        .templates = templates,
        .skeleton = skeleton,
        .nest = nest,
        .renamed = renamed,
        .block_bytes = calloc(skeleton->blocks.block_count + (size_t)1, sizeof(uint64_t)),
        .is_to_clear = calloc(skeleton->blocks.block_count + (size_t)1, sizeof(bool)),
        .call_of = calloc(nest->token_count + 1, sizeof(size_t)),
        .roles = calloc(nest->number_count + 1, 1),
        .into = &into,
        .diag = diag};
    int status = writing.block_bytes && writing.is_to_clear && writing.call_of && writing.roles
                     ? FT_OK
                     : no_memory(diag);
    if (!status) {
        note_blocks(&writing);
        status = judge(&writing, 0, nest->token_count, 0, 0);
    }
    if (!status)
        status = ft_nest_rewrite(nest, renamed, rewrite_call, &writing, &into, diag);
    for (size_t i = 0; i < writing.call_count; i++)
        *ret_found = *ret_found || writing.calls[i].is_written;
    free(writing.block_bytes);
    free(writing.is_to_clear);
    free(writing.calls);
    free(writing.call_of);
    free(writing.roles);
    if (status) {
        ft_nest_fini(&into);
        return status;
    }
    *ret_nest = into;
    return FT_OK;
}
