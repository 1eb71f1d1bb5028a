/*
 * Each call is an iteration of one loop around all of them, with one access: of the kind of call,
 * at the bytes that are asked for or at the number of the block that is freed. Folding them finds
 * the program's loops again.
 */
#include "fit/skeletons/block_loops.h"

#include <inttypes.h>
#include <stdlib.h>

#include "engine/skeleton/folding.h"
#include "engine/skeleton/nest_walk.h"
#include "fit/skeletons/nest_laws.h"
#include "fit/skeletons/size_law.h"
#include "formats/base/array.h"
#include "formats/skeleton/nest_executions.h"

#define CALLS_MAX (UINT32_C(1) << 20)
/* Tokens and numbers of calls that fold: as of a loop of the program. */
#define WORDS_MAX (UINT32_C(1) << 17)
#define BYTES_MAX 64U /* of which blocks are, where these tell calls apart */

static int no_memory(struct ft_diag *diag)
{
    return ft_fail_memory(diag, "the heap of a program");
}

/* ---- folding ---- */

/* What is an access of its own in the nests. */
struct kind {
    struct ft_block_call call;
    uint32_t of_bytes; /* which number of bytes it is of, in order of appearance; 0: of any */
};

struct kinds {
    struct kind *items;
    size_t count, capacity;
    bool are_by_bytes;
    uint64_t bytes[BYTES_MAX]; /* of the size in question, as they appear */
    size_t bytes_count;
    bool are_too_many; /* numbers of bytes, at one size or more */
};

static bool is_alike(const struct kind *kind, const struct ft_block_event *event, uint32_t of_bytes)
{
    return kind->call.is_freed == event->is_freed && kind->call.clears == event->clears &&
           kind->call.alignment == event->alignment && kind->of_bytes == of_bytes;
}

static uint32_t find_bytes(struct kinds *kinds, const struct ft_block_event *event)
{
    if (!kinds->are_by_bytes || event->is_freed)
        return 0;
    size_t i = 0;
    while (i < kinds->bytes_count && kinds->bytes[i] != event->bytes)
        i++;
    kinds->are_too_many = kinds->are_too_many || i == BYTES_MAX;
    if (i == kinds->bytes_count && i < BYTES_MAX)
        kinds->bytes[kinds->bytes_count++] = event->bytes;
    return (uint32_t)i;
}

/* The kind that an event is of; a new one where there is none yet. */
static int find_kind(struct kinds *kinds, const struct ft_block_event *event, uint32_t *ret_kind,
                     struct ft_diag *diag)
{
    const uint32_t of_bytes = find_bytes(kinds, event);
    size_t i = 0;
    while (i < kinds->count && !is_alike(&kinds->items[i], event, of_bytes))
        i++;
    *ret_kind = (uint32_t)i;
    if (i < kinds->count)
        return FT_OK;
    if (!FT_RESERVE(kinds->items, kinds->capacity, i + 1))
        return no_memory(diag);
    kinds->items[kinds->count++] =
        (struct kind){{event->is_freed, event->clears, event->alignment}, of_bytes};
    return FT_OK;
}

static int fold_events(struct kinds *kinds, const struct ft_block_events *events,
                       struct ft_folding *folding, struct ft_nest *iteration,
                       struct ft_fold_scratch *scratch, struct ft_diag *diag)
{
    kinds->bytes_count = 0;
    for (size_t i = 0; i < events->event_count && folding->words <= WORDS_MAX; i++) {
        const struct ft_block_event *event = &events->events[i];
        uint32_t kind = 0;
        FT_TRY(find_kind(kinds, event, &kind, diag));
        ft_nest_clear(iteration);
        if (!ft_nest_add_access(iteration, kind, event->is_freed ? event->block : event->bytes))
            return no_memory(diag);
        FT_TRY(ft_folding_add(folding, iteration, scratch, diag));
    }
    return FT_OK;
}

/* The calls of a size as a nest; of calls that do not fold it is empty. */
static int fold(struct kinds *kinds, const struct ft_block_events *events, struct ft_nest *nest,
                struct ft_diag *diag)
{
    struct ft_folding folding = {.keeps_runs = true};
    struct ft_fold_scratch scratch = {0};
    struct ft_nest iteration = {0};
    size_t place;
    int status = ft_nest_open(nest, FT_NEST_LOOP, 0, &place) ? FT_OK : no_memory(diag);
    if (!status)
        status = fold_events(kinds, events, &folding, &iteration, &scratch, diag);
    if (!status && folding.words <= WORDS_MAX && !kinds->are_too_many)
        status = ft_folding_end(&folding, nest, &scratch, diag);
    if (!status)
        ft_nest_close(nest, place);
    ft_nest_fini(&iteration);
    ft_fold_scratch_fini(&scratch);
    ft_folding_fini(&folding);
    return status;
}

static int count_calls(const struct ft_nest *nest, uint64_t *ret_count, struct ft_diag *diag)
{
    struct ft_nest_executions executions;
    FT_TRY(ft_nest_executions_make(nest, &executions, diag));
    *ret_count = executions.before[nest->token_count];
    ft_nest_executions_fini(&executions);
    return FT_OK;
}

/* ---- laws ---- */

/* Whether a leaf follows laws in all that is in it. */
static bool is_known(const struct ft_nest_laws *laws, size_t token,
                     const struct ft_nest_element *element)
{
    bool known = laws->is_sized[token];
    for (size_t i = 1; known && i < element->head + element->length; i++)
        known = !laws->is_sized[token + i];
    return known;
}

/* Where what follows laws ends: tokens, and their numbers. */
static void find_end(const struct ft_nest_laws *laws, size_t *ret_token, size_t *ret_number)
{
    const struct ft_nest *nest = &laws->nest;
    size_t token = ft_nest_element(nest->tokens).head, number = 0; /* in the loop around all */
    *ret_token = token;
    *ret_number = number;
    while (token < nest->token_count) {
        const struct ft_nest_element element = ft_nest_element(nest->tokens + token);
        if (element.kind == FT_NEST_ONCE) {
            token += element.head;
            continue;
        }
        if (!is_known(laws, token, &element))
            return;
        number += ft_nest_element_numbers(&element, nest->tokens + token);
        token += element.head + element.length;
        *ret_token = token;
        *ret_number = number;
    }
}

/* Takes the laws over, without what is behind the end. */
static int take(struct ft_nest_laws *laws, const struct kinds *kinds, struct ft_block_loops *loops,
                struct ft_diag *diag)
{
    size_t end, numbers;
    if (laws->nest.token_count == 0)
        return FT_OK;
    find_end(laws, &end, &numbers);
    laws->nest.token_count = end;
    laws->nest.number_count = numbers;
    ft_nest_close(&laws->nest, 0); /* an empty one is none */
    while (laws->number_count && laws->numbers[laws->number_count - 1].number >= numbers)
        laws->number_count--;
    *loops = (struct ft_block_loops){calloc(kinds->count + 1, sizeof *loops->calls), kinds->count,
                                     laws->nest, laws->numbers, laws->number_count};
    laws->nest = (struct ft_nest){0};
    laws->numbers = NULL;
    for (size_t i = 0; loops->calls && i < kinds->count; i++)
        loops->calls[i] = kinds->items[i].call;
    return loops->calls ? FT_OK : no_memory(diag);
}

static int learn_laws(const struct ft_nest *nests, size_t size_count, const struct kinds *kinds,
                      struct ft_law_search *search, struct ft_block_loops *loops,
                      struct ft_diag *diag)
{
    const struct ft_nest_ids ids = {.references = kinds->count, .loops = 1};
    struct ft_nest_tree tree = {0};
    struct ft_nest_laws laws = {0};
    int status = ft_nest_tree_make(nests, size_count, &ids, &tree, diag);
    if (!status)
        status = ft_nest_laws_learn(&tree, nests, search, &laws, diag);
    if (!status)
        status = take(&laws, kinds, loops, diag);
    ft_nest_laws_fini(&laws);
    ft_nest_tree_fini(&tree);
    return status;
}

/* by_bytes: calls for other numbers of bytes are others, as loops in loops ask for; else one that
 * asks for more each time is one. */
static int learn(const struct ft_block_training *training, bool by_bytes,
                 struct ft_law_search *search, struct ft_block_loops *loops, struct ft_diag *diag)
{
    struct kinds kinds = {.are_by_bytes = by_bytes};
    struct ft_nest nests[FT_SIZED_SIZES_MAX] = {0};
    bool are_folded = true;
    int status = FT_OK;
    for (size_t s = 0; !status && are_folded && s < training->count; s++) {
        const struct ft_block_events *events = ft_block_training_events(training, s);
        if (events->event_count <= CALLS_MAX)
            status = fold(&kinds, events, &nests[s], diag);
        are_folded = nests[s].token_count > 0;
    }
    if (!status && are_folded)
        status = learn_laws(nests, training->count, &kinds, search, loops, diag);
    for (size_t s = 0; s < training->count; s++)
        ft_nest_fini(&nests[s]);
    free(kinds.items);
    return status;
}

int ft_block_loops_learn(const struct ft_block_training *training, struct ft_law_search *search,
                         struct ft_block_loops *ret_loops, struct ft_diag *diag)
{
    struct ft_block_loops loops[2] = {0};
    uint64_t counts[2];
    int status = FT_OK;
    for (size_t way = 0; !status && way < 2; way++) {
        status = learn(training, way == 1, search, &loops[way], diag);
        if (!status)
            status = count_calls(&loops[way].nest, &counts[way], diag);
    }
    const size_t better = !status && counts[1] > counts[0];
    if (!status) {
        *ret_loops = loops[better];
        loops[better] = (struct ft_block_loops){0};
    }
    for (size_t way = 0; way < 2; way++)
        ft_block_loops_fini(&loops[way]);
    return status;
}

/* ---- at a size ---- */

void ft_block_calls_fini(struct ft_block_calls *calls)
{
    free(calls->events.events);
    free(calls->tokens);
    *calls = (struct ft_block_calls){0};
}

struct making {
    const struct ft_block_loops *loops;
    const struct ft_nest *nest;
    double size;
    struct ft_block_calls *calls;
    struct ft_diag *diag;
};

/* number: bytes, or the block that is freed. */
static int add_call(const struct making *making, const uint32_t *token, int64_t number)
{
    struct ft_block_calls *calls = making->calls;
    struct ft_block_events *events = &calls->events;
    const struct ft_block_call *call = &making->loops->calls[ft_nest_id(*token)];
    if (call->is_freed && (number < 0 || number >= events->block_count))
        return ft_fail(making->diag, FT_ERROR_USAGE,
                       "at %g a heap block would be freed before it is allocated", making->size);
    if (!call->is_freed && number >= (int64_t)FT_PLACE_STEP)
        return ft_fail(making->diag, FT_ERROR_USAGE,
                       "at %g a heap block would have %" PRId64 " bytes", making->size, number);
    if (!FT_RESERVE(events->events, events->event_capacity, events->event_count + 1) ||
        !FT_RESERVE(calls->tokens, calls->token_capacity, events->event_count + 1))
        return no_memory(making->diag);
    calls->tokens[events->event_count] = (uint32_t)(token - making->nest->tokens);
    events->events[events->event_count++] =
        (struct ft_block_event){.block = call->is_freed ? (uint32_t)number : events->block_count++,
                                .is_freed = call->is_freed,
                                .clears = call->clears,
                                .alignment = call->alignment,
                                .bytes = call->is_freed || number < 0 ? 0 : (uint64_t)number};
    return FT_OK;
}

/* A loop without loops: as many numbers as its body has calls, and as many steps. */
static int add_run(const struct making *making, const struct ft_walk_step *step)
{
    const uint64_t *first = step->numbers + 1, *steps = first + step->number_count;
    for (uint64_t i = 0; i < step->numbers[0]; i++) {
        size_t number = 0;
        for (size_t at = 0; at < step->token_count;) {
            const struct ft_nest_element element = ft_nest_element(step->tokens + at);
            if (element.kind == FT_NEST_ACCESS) {
                FT_TRY(add_call(making, step->tokens + at,
                                (int64_t)(first[number] + i * steps[number])));
                number++;
            }
            at += element.head;
        }
    }
    return FT_OK;
}

static int walk(const struct making *making)
{
    struct ft_nest_walk *walk;
    struct ft_walk_step step = {0};
    FT_TRY(ft_nest_walk_create(making->nest, NULL, &walk, making->diag));
    int status;
    while (!(status = ft_nest_walk_next(walk, &step, making->diag)) && step.event != FT_WALK_END) {
        if (step.event == FT_WALK_ACCESS)
            status = add_call(making, step.tokens, (int64_t)step.numbers[0]);
        else if (step.event == FT_WALK_RUN)
            status = add_run(making, &step);
        if (status)
            break;
    }
    ft_nest_walk_destroy(walk);
    return status;
}

int ft_block_loops_at(const struct ft_block_loops *loops, double size,
                      struct ft_block_calls *ret_calls, struct ft_diag *diag)
{
    struct ft_nest nest;
    struct ft_block_calls calls = {0};
    const struct making making = {loops, &nest, size, &calls, diag};
    FT_TRY(ft_sized_nest_at(&loops->nest, loops->numbers, loops->number_count, size, &nest, diag));
    uint64_t count = 0;
    int status = count_calls(&nest, &count, diag);
    if (!status && count > CALLS_MAX)
        status = ft_fail(diag, FT_ERROR_USAGE,
                         "at %g the program would allocate and free blocks %" PRIu64
                         " times; up to %" PRIu32 " can be placed: give a smaller size",
                         size, count, CALLS_MAX);
    if (!status)
        status = walk(&making);
    ft_nest_fini(&nest);
    if (status) {
        ft_block_calls_fini(&calls);
        return status;
    }
    *ret_calls = calls;
    return FT_OK;
}
