/*
 * Calls are looked at in the nest of the largest size, by calling context and tokens. Which block
 * one is about is seen from what it touches: malloc's blocks are numbered as they are allocated, so
 * it is the last of those; free begins with the head of its own.
 */
#include "fit/skeletons/heap_templates.h"

#include <stdlib.h>
#include <string.h>

#include "engine/skeleton/irregular_search.h"
#include "formats/base/array.h"
#include "formats/base/hash_table.h"
#include "formats/skeleton/malloc_chunks.h"
#include "formats/skeleton/nest_executions.h"

/* Calls of a context: a few are no matter of a loop. */
#define CALLS_MIN 8U
/* Iterations of a loop in a call: caches are filled with 7 chunks, and bins are looked through in
 * words of 32. Longer ones are over free chunks, of which each size has others. */
#define ITERATIONS_MAX 8U

static int no_memory(struct ft_diag *diag)
{
    return ft_fail_memory(diag, "calls of malloc");
}

void ft_heap_templates_fini(struct ft_heap_templates *templates)
{
    for (size_t i = 0; i < templates->count; i++)
        free(templates->templates[i].numbers);
    free(templates->templates);
    free(templates->frees);
    free(templates->allocates);
    *templates = (struct ft_heap_templates){0};
}

const struct ft_heap_template *ft_heap_template_of(const struct ft_heap_templates *templates,
                                                   uint64_t context, uint32_t routine)
{
    for (size_t i = 0; i < templates->count; i++)
        if (templates->templates[i].context == context &&
            templates->templates[i].routine == routine)
            return &templates->templates[i];
    return NULL;
}

static bool frees(const struct ft_heap_templates *templates, uint32_t token)
{
    const uint32_t id = ft_nest_id(token);
    return id < templates->routine_count && templates->frees[id];
}

bool ft_heap_is_call(const struct ft_heap_templates *templates, uint32_t token)
{
    const uint32_t id = ft_nest_id(token);
    return ft_nest_kind(token) == FT_NEST_ROUTINE && id < templates->routine_count &&
           (templates->frees[id] || templates->allocates[id]);
}

uint64_t *ft_heap_block_bytes(const struct ft_block_events *blocks)
{
    uint64_t *bytes = calloc(blocks->block_count + (size_t)1, sizeof *bytes);
    for (size_t i = 0; bytes && i < blocks->event_count; i++)
        if (!blocks->events[i].is_freed && blocks->events[i].block < blocks->block_count)
            bytes[blocks->events[i].block] = blocks->events[i].bytes;
    return bytes;
}

/* ---- accesses of a call ---- */

typedef void place_visitor(void *context, uint64_t place, size_t number);

/* In order, inner loops in their first iteration. */
static void visit_places(const struct ft_nest *nest, size_t at, size_t end, size_t number,
                         place_visitor *visit, void *context)
{
    while (at < end) {
        const struct ft_nest_element element = ft_nest_element(nest->tokens + at);
        const size_t body = at + element.head, next = body + element.length;
        if (element.kind == FT_NEST_ACCESS)
            visit(context, nest->numbers[number], number);
        else
            visit_places(nest, body, next, number + element.counts, visit, context);
        number += ft_nest_element_numbers(&element, nest->tokens + at);
        at = next;
    }
}

static size_t end_of(const struct ft_nest *nest, size_t at)
{
    const struct ft_nest_element element = ft_nest_element(nest->tokens + at);
    return at + element.head + element.length;
}

static void see_ends(void *context, uint64_t place, size_t number)
{
    struct ft_heap_ends *ends = context;
    (void)number;
    if (ft_is_on_stack(place))
        ends->last_stack = place;
    else if (!ends->first)
        ends->first = place;
}

struct ft_heap_ends ft_heap_ends(const struct ft_nest *nest, size_t at, size_t number)
{
    struct ft_heap_ends ends = {0};
    visit_places(nest, at, end_of(nest, at), number, see_ends, &ends);
    return ends;
}

struct reading {
    const uint64_t *block_bytes;
    uint32_t block_count;
    bool frees;
    size_t first; /* number */
    bool has_block;
    uint64_t block;
    struct ft_heap_call call;
};

/* Heads of chunks are in front of blocks. */
static bool find_block(const struct reading *reading, uint64_t place, uint64_t *ret_block)
{
    const uint64_t shifted = place + FT_PLACE_STEP / 2;
    *ret_block = (shifted - FT_PLACE_BLOCKS) / FT_PLACE_STEP;
    return ft_is_in_block(shifted) && *ret_block < reading->block_count;
}

static void see_block(void *context, uint64_t place, size_t number)
{
    struct reading *reading = context;
    uint64_t block;
    (void)number;
    if (!find_block(reading, place, &block) ||
        (reading->has_block && (reading->frees || block <= reading->block)))
        return;
    reading->has_block = true;
    reading->block = block;
}

/* What a place is nearest to. */
static enum ft_heap_base base_of(const struct reading *reading, uint64_t place)
{
    uint64_t block;
    if (ft_is_on_stack(place))
        return FT_HEAP_STACK;
    if (!reading->has_block || !find_block(reading, place, &block))
        return FT_HEAP_NONE;
    const int64_t offset = (int64_t)(place - reading->call.places[FT_HEAP_END]);
    return block == reading->block && offset >= -(int64_t)FT_CHUNK_SIZE_BYTES ? FT_HEAP_END
                                                                              : FT_HEAP_START;
}

static void see_base(void *context, uint64_t place, size_t number)
{
    struct reading *reading = context;
    const enum ft_heap_base base = base_of(reading, place);
    uint64_t block;
    const bool is_own =
        base == FT_HEAP_STACK || base == FT_HEAP_END ||
        (base == FT_HEAP_START && find_block(reading, place, &block) && block == reading->block);
    if (!is_own || reading->call.numbers[base] != FT_HEAP_NO_NUMBER)
        return;
    reading->call.numbers[base] = number - reading->first;
    if (base == FT_HEAP_STACK)
        reading->call.places[base] = place;
}

static void begin_reading(struct reading *reading, const struct ft_nest *nest, size_t at,
                          size_t number)
{
    const size_t end = end_of(nest, at);
    struct ft_heap_call *call = &reading->call;
    for (size_t base = 0; base < FT_HEAP_BASES; base++)
        call->numbers[base] = FT_HEAP_NO_NUMBER;
    reading->first = number;
    visit_places(nest, at, end, number, see_block, reading);
    if (reading->has_block) {
        call->places[FT_HEAP_START] = FT_PLACE_BLOCKS + reading->block * FT_PLACE_STEP;
        call->places[FT_HEAP_END] =
            call->places[FT_HEAP_START] + ft_chunk_usable(reading->block_bytes[reading->block]);
    }
    visit_places(nest, at, end, number, see_base, reading);
}

void ft_heap_call_read(const struct ft_heap_templates *templates, const struct ft_nest *nest,
                       const uint64_t *block_bytes, uint32_t block_count, size_t at, size_t number,
                       struct ft_heap_call *ret_call)
{
    struct reading reading = {.block_bytes = block_bytes,
                              .block_count = block_count,
                              .frees = frees(templates, nest->tokens[at])};
    begin_reading(&reading, nest, at, number);
    *ret_call = reading.call;
}

uint64_t ft_heap_call_shape(const struct ft_nest *nest, size_t at)
{
    uint64_t shape = 0;
    for (const size_t end = end_of(nest, at); at < end; at++)
        shape = ft_hash_add(shape, nest->tokens[at]);
    return shape;
}

uint64_t ft_heap_call_times(const struct ft_nest *nest, const uint64_t *before, size_t at)
{
    for (const size_t end = end_of(nest, at); at < end;
         at += ft_nest_element(nest->tokens + at).head)
        if (ft_nest_kind(nest->tokens[at]) == FT_NEST_ACCESS)
            return before[at + 1] - before[at];
    return 0;
}

/* ---- templates ---- */

struct finding {
    const struct ft_skeleton *largest;
    const struct ft_nest *nest;
    const uint64_t *before;      /* [token] (nest_executions.h) */
    const uint64_t *block_bytes; /* [block] */
    const struct ft_string_templates *memsets;
    struct ft_mapped_range heap; /* from the first block to the end of the last one */
    struct ft_heap_templates *templates;
    struct ft_diag *diag;
};

struct numbering {
    struct reading reading;
    struct ft_mapped_range heap;
    struct ft_heap_template *template;
};

/* Of the block behind it, it is the head; where other blocks are, and free chunks, is different at
 * each size. */
static void see_number(void *context, uint64_t place, size_t number)
{
    struct numbering *numbering = context;
    const struct reading *reading = &numbering->reading;
    struct ft_heap_template *template = numbering->template;
    enum ft_heap_base base = base_of(reading, place);
    uint64_t block, value = place - (base == FT_HEAP_NONE ? 0 : reading->call.places[base]);
    if (base == FT_HEAP_START && find_block(reading, place, &block) && block != reading->block) {
        const int64_t offset = (int64_t)(place - (FT_PLACE_BLOCKS + block * FT_PLACE_STEP));
        value = (uint64_t)(offset + (int64_t)FT_CHUNK_SIZE_BYTES);
        template->has_others =
            template->has_others || offset < -(int64_t)FT_CHUNK_HEAD_BYTES || offset >= 0;
        base = FT_HEAP_END;
    }
    template->has_others =
        template->has_others ||
        (base == FT_HEAP_NONE && place >= numbering->heap.start && place < numbering->heap.end);
    template->numbers[number - reading->first] = (struct ft_heap_number){base, value};
}

/* Behind calloc; a memset by vectors of its block, from the start on. */
static void find_clear(const struct finding *finding, size_t at, size_t end, size_t number,
                       const struct ft_heap_call *call, struct ft_heap_template *template)
{
    if (at >= end || ft_nest_kind(finding->nest->tokens[at]) != FT_NEST_ROUTINE)
        return;
    const struct ft_string_template *memset =
        ft_string_template_of(finding->memsets, finding->nest->tokens[at]);
    const struct ft_heap_ends ends = ft_heap_ends(finding->nest, at, number);
    if (!memset || memset->is_copy || memset->accesses[0].kind != FT_STRING_VECTORS ||
        ends.first != call->places[FT_HEAP_START] || !ends.last_stack)
        return;
    template->clear = memset;
    template->clear_stack = ends.last_stack - call->places[FT_HEAP_STACK];
}

static int take_numbers(const struct finding *finding, size_t at, size_t end, size_t number,
                        struct ft_heap_template *template)
{
    const struct ft_nest *nest = finding->nest;
    const struct ft_nest_element element = ft_nest_element(nest->tokens + at);
    const size_t count = ft_nest_element_numbers(&element, nest->tokens + at);
    struct numbering numbering = {
        .reading = {.block_bytes = finding->block_bytes,
                    .block_count = finding->largest->blocks.block_count,
                    .frees = frees(finding->templates, template->routine)},
        .heap = finding->heap,
        .template = template};
    template->numbers = calloc(count + 1, sizeof *template->numbers);
    if (!template->numbers)
        return no_memory(finding->diag);
    template->number_count = count;
    begin_reading(&numbering.reading, nest, at, number);
    for (size_t k = 0; k < count; k++) /* trip counts and steps of inner loops */
        template->numbers[k].value = nest->numbers[number + k];
    visit_places(nest, at, end_of(nest, at), number, see_number, &numbering);
    find_clear(finding, end_of(nest, at), end, number + count, &numbering.reading.call, template);
    return FT_OK;
}

/* A call, in tokens up to `end`. */
static int add_call(const struct finding *finding, size_t at, size_t end, size_t number,
                    uint64_t context)
{
    struct ft_heap_templates *templates = finding->templates;
    const uint32_t routine = finding->nest->tokens[at];
    const uint64_t shape = ft_heap_call_shape(finding->nest, at),
                   times = ft_heap_call_times(finding->nest, finding->before, at);
    const size_t next = end_of(finding->nest, at);
    for (size_t i = 0; i < templates->count; i++) {
        struct ft_heap_template *former = &templates->templates[i];
        if (former->context == context && former->routine == routine && former->shape == shape) {
            former->calls += times;
            return FT_OK;
        }
    }
    if (times == 0)
        return FT_OK;
    if (!FT_RESERVE(templates->templates, templates->capacity, templates->count + 1))
        return no_memory(finding->diag);
    struct ft_heap_template *template = &templates->templates[templates->count++];
    *template =
        (struct ft_heap_template){.context = context,
                                  .routine = routine,
                                  .shape = shape,
                                  .calls = times,
                                  .accesses = (finding->before[next] - finding->before[at]) / times,
                                  .tokens = finding->nest->tokens + at,
                                  .token_count = next - at};
    return take_numbers(finding, at, end, number, template);
}

/* loops: how many are around. */
static int find(const struct finding *finding, size_t at, size_t end, size_t number,
                struct ft_nest_context around, unsigned loops)
{
    const struct ft_nest *nest = finding->nest;
    uint32_t site = 0;
    while (at < end) {
        const uint32_t *tokens = nest->tokens + at;
        const struct ft_nest_element element = ft_nest_element(tokens);
        const size_t body = at + element.head, next = body + element.length;
        const bool is_loop = element.kind == FT_NEST_LOOP;
        site = element.kind == FT_NEST_ACCESS ? *tokens : site;
        if (loops > 0 && ft_heap_is_call(finding->templates, *tokens))
            FT_TRY(add_call(finding, at, end, number, ft_hash_add(around.hash, site)));
        else if (element.length)
            FT_TRY(find(finding, body, next, number + element.counts,
                        is_loop || element.kind == FT_NEST_ROUTINE
                            ? ft_nest_context_inside(around, *tokens)
                            : around,
                        loops + is_loop));
        number += ft_nest_element_numbers(&element, tokens);
        at = next;
    }
    return FT_OK;
}

static uint64_t calls_of(const struct ft_heap_templates *templates,
                         const struct ft_heap_template *like)
{
    uint64_t calls = 0;
    for (size_t i = 0; i < templates->count; i++)
        if (templates->templates[i].context == like->context &&
            templates->templates[i].routine == like->routine)
            calls += templates->templates[i].calls;
    return calls;
}

/* Whether loops in a call may be as long at all sizes. */
static bool has_short_loops(const struct ft_heap_template *template)
{
    size_t number = 0;
    for (size_t at = 0; at < template->token_count;) {
        const struct ft_nest_element element = ft_nest_element(template->tokens + at);
        if (element.counts && template->numbers[number].value > ITERATIONS_MAX)
            return false;
        number += element.kind == FT_NEST_ACCESS ? 1 : 0;
        number += element.counts ? ft_nest_element_numbers(&element, template->tokens + at) : 0;
        at += element.head + (element.counts ? element.length : 0);
    }
    return true;
}

/* Those that most calls of their context are like. */
static void keep_common(struct ft_heap_templates *templates)
{
    size_t kept = 0;
    for (size_t i = 0; i < templates->count; i++) {
        struct ft_heap_template *template = &templates->templates[i];
        template->is_common = template->calls >= CALLS_MIN &&
                              2 * template->calls > calls_of(templates, template) &&
                              !template->has_others && has_short_loops(template);
    }
    for (size_t i = 0; i < templates->count; i++) {
        if (templates->templates[i].is_common)
            templates->templates[kept++] = templates->templates[i];
        else
            free(templates->templates[i].numbers);
    }
    templates->count = kept;
}

/* Routines by name. realloc is both of them, at times. */
static int find_routines(struct ft_heap_templates *templates, const struct ft_skeleton *largest,
                         struct ft_diag *diag)
{
    templates->frees = calloc(largest->routine_count + (size_t)1, sizeof *templates->frees);
    templates->allocates = calloc(largest->routine_count + (size_t)1, sizeof *templates->allocates);
    if (!templates->frees || !templates->allocates)
        return no_memory(diag);
    templates->routine_count = largest->routine_count;
    for (uint32_t r = 0; r < largest->routine_count; r++) {
        const char *name = largest->scopes.scopes[largest->routine_scopes[r]].name;
        templates->frees[r] = strcmp(name, "free") == 0;
        templates->allocates[r] = strcmp(name, "malloc") == 0 || strcmp(name, "calloc") == 0;
    }
    return FT_OK;
}

static struct ft_mapped_range find_heap(const struct ft_block_events *blocks)
{
    struct ft_mapped_range heap = {0};
    for (size_t i = 0; i < blocks->event_count; i++) {
        const struct ft_block_event *event = &blocks->events[i];
        if (event->is_freed || event->bytes >= FT_CHUNK_MAPPED_MIN)
            continue;
        if (heap.end == 0 || event->address < heap.start)
            heap.start = event->address;
        if (event->address + event->bytes > heap.end)
            heap.end = event->address + event->bytes;
    }
    return heap;
}

int ft_heap_templates_find(const struct ft_skeleton *largest, const struct ft_nest *nest,
                           const struct ft_string_templates *memsets,
                           struct ft_heap_templates *ret_templates, struct ft_diag *diag)
{
    struct ft_heap_templates templates = {0};
    struct ft_nest_executions executions;
    uint64_t *block_bytes = ft_heap_block_bytes(&largest->blocks);
    int status = block_bytes ? ft_nest_executions_make(nest, &executions, diag) : no_memory(diag);
    if (status) {
        free(block_bytes);
        return status;
    }
    const struct finding finding = {.largest = largest,
                                    .nest = nest,
                                    .before = executions.before,
                                    .block_bytes = block_bytes,
                                    .memsets = memsets,
                                    .heap = find_heap(&largest->blocks),
                                    .templates = &templates,
                                    .diag = diag};
    status = find_routines(&templates, largest, diag);
    if (!status)
        status = find(&finding, 0, nest->token_count, 0, (struct ft_nest_context){0}, 0);
    keep_common(&templates);
    ft_nest_executions_fini(&executions);
    free(block_bytes);
    if (status) {
        ft_heap_templates_fini(&templates);
        return status;
    }
    *ret_templates = templates;
    return FT_OK;
}
