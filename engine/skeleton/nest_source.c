/*
 * A stack of loops, each with its body's numbers in the iteration at hand. A loop whose body has no
 * loops is not pushed, but becomes a run.
 */
#include "engine/skeleton/nest_source.h"

#include <stdlib.h>
#include <string.h>

#include "formats/base/array.h"
#include "formats/expand/run_buffer.h"

#define NOT_DRAWN UINT32_MAX

struct active_loop {
    const uint32_t *body;
    size_t length, at; /* tokens */
    uint64_t *numbers; /* in this iteration */
    size_t number_count, number_capacity, number_at;
    const uint64_t *steps; /* of the numbers, in the loop around */
    bool is_back;          /* these are to be taken off */
    const uint64_t *rows;  /* geometric: all of its numbers, in the loop around; else NULL */
    uint64_t iteration;    /* likewise */
    uint64_t iterations_left;
    size_t last_length; /* of the last iteration */
    uint32_t drawn;     /* the irregular loop of which this is an iteration, or NOT_DRAWN */
};

struct nest_source {
    struct ft_run_source base;
    uint32_t irregular_count;
    struct active_loop *loops; /* those beyond loop_count keep their memory */
    size_t loop_count, loop_capacity, loops_made;
    struct ft_drawing *drawing; /* or NULL */
    struct ft_run_buffer buffer;
};

static int no_memory(struct ft_diag *diag)
{
    return ft_fail_memory(diag, "the accesses of a loop nest");
}

/* An iteration of a loop: its body, and numbers in it. */
static bool start_body(struct active_loop *loop, const struct ft_nest_span *body)
{
    if (!FT_RESERVE(loop->numbers, loop->number_capacity, body->number_count))
        return false;
    if (body->number_count)
        memcpy(loop->numbers, body->numbers, body->number_count * sizeof *loop->numbers);
    loop->body = body->tokens;
    loop->length = body->token_count;
    loop->number_count = body->number_count;
    loop->at = loop->number_at = 0;
    return true;
}

static int push_loop(struct nest_source *source, const struct ft_nest_span *body,
                     struct ft_diag *diag)
{
    if (!FT_RESERVE(source->loops, source->loop_capacity, source->loop_count + 1))
        return no_memory(diag);
    if (source->loop_count == source->loops_made)
        source->loops[source->loops_made++] = (struct active_loop){0};
    struct active_loop *loop = &source->loops[source->loop_count];
    if (!start_body(loop, body))
        return no_memory(diag);
    loop->iterations_left = 1;
    loop->last_length = loop->length;
    loop->is_back = false;
    loop->rows = NULL;
    loop->drawn = NOT_DRAWN;
    source->loop_count++;
    return FT_OK;
}

/* The numbers of the next iteration. */
static void step(struct active_loop *loop)
{
    if (!loop->rows) {
        for (size_t k = 0; k < loop->number_count; k++)
            loop->numbers[k] += loop->is_back ? 0 - loop->steps[k] : loop->steps[k];
        return;
    }
    const struct ft_nest_element element = {
        .kind = FT_NEST_GEOMETRIC, .body = loop->number_count, .counts = 1};
    loop->iteration++;
    for (size_t k = 0; k < loop->number_count; k++)
        loop->numbers[k] = ft_nest_number_at(&element, loop->rows, k, loop->iteration);
}

/* The body is done: the next iteration, or the end of the loop. */
static int end_body(struct nest_source *source, struct active_loop *loop, struct ft_diag *diag)
{
    if (--loop->iterations_left == 0) {
        source->loop_count--;
        return FT_OK;
    }
    if (loop->drawn != NOT_DRAWN) {
        const struct ft_nest_span body = ft_drawing_iterate(source->drawing, loop->drawn);
        return start_body(loop, &body) ? FT_OK : no_memory(diag);
    }
    step(loop);
    if (loop->iterations_left == 1)
        loop->length = loop->last_length;
    loop->at = loop->number_at = 0;
    return FT_OK;
}

static bool put_entry(struct ft_run_buffer *buffer, uint32_t reference, uint64_t address)
{
    if (!ft_run_buffer_make_room(buffer, 1))
        return false;
    buffer->references[buffer->entry_count] = reference;
    buffer->addresses[buffer->entry_count] = address;
    buffer->strides[buffer->entry_count] = 0;
    ft_run_buffer_add(buffer, 1, 1);
    return true;
}

static bool is_innermost(const uint32_t *body, size_t length)
{
    for (size_t at = 0; at < length;) {
        struct ft_nest_element element = ft_nest_element(body + at);
        if (element.counts || element.kind == FT_NEST_IRREGULAR)
            return false;
        at += element.head;
    }
    return true;
}

/* A loop without loops as a run. */
static bool put_run(struct ft_run_buffer *buffer, const uint32_t *body, size_t length,
                    const uint64_t *numbers, size_t number_count)
{
    if (!ft_run_buffer_make_room(buffer, number_count))
        return false;
    const size_t first = buffer->entry_count;
    size_t entries = 0;
    for (size_t at = 0; at < length;) {
        struct ft_nest_element element = ft_nest_element(body + at);
        if (element.kind == FT_NEST_ACCESS)
            buffer->references[first + entries++] = element.id;
        at += element.head;
    }
    memcpy(buffer->addresses + first, numbers + 1, entries * sizeof *buffer->addresses);
    memcpy(buffer->strides + first, numbers + 1 + number_count, entries * sizeof *buffer->strides);
    ft_run_buffer_add(buffer, (uint32_t)entries, numbers[0]);
    return true;
}

/* Starts a cycle: its first time may begin, and its last one end, in the middle. */
static void start_cycle(struct active_loop *loop, const struct ft_nest_element *element,
                        const uint64_t *numbers)
{
    const struct ft_nest_time first = ft_nest_time(element, loop->body, numbers, 0);
    const struct ft_nest_time last = ft_nest_time(element, loop->body, numbers, numbers[0] - 1);
    for (size_t k = 0; k < element->body; k++)
        loop->numbers[k] = ft_nest_number_at(element, numbers, k, 0);
    loop->at = first.at;
    loop->number_at = first.number;
    loop->length = first.end;
    loop->last_length = last.end;
    loop->is_back = element->id == FT_NEST_FROM_LAST;
}

static int take_repeat(struct nest_source *source, struct active_loop *around,
                       const struct ft_nest_element *element, const uint32_t *body,
                       struct ft_diag *diag)
{
    const uint64_t *numbers = around->numbers + around->number_at;
    const uint64_t *first = numbers + element->counts;
    around->number_at += ft_nest_repeat_numbers(element);
    around->at += element->head + element->length;
    if (numbers[0] == 0 || numbers[0] >> 63) /* a law's, or drawn: less than none is none */
        return FT_OK;
    if (numbers[0] > 1 && element->kind == FT_NEST_REPEAT && is_innermost(body, element->length))
        return put_run(&source->buffer, body, element->length, numbers, element->body)
                   ? FT_OK
                   : no_memory(diag);
    const struct ft_nest_span span = {body, element->length, first, element->body};
    FT_TRY(push_loop(source, &span, diag));
    struct active_loop *loop = &source->loops[source->loop_count - 1];
    loop->iterations_left = numbers[0];
    loop->steps = first + element->body;
    if (element->kind == FT_NEST_CYCLE)
        start_cycle(loop, element, numbers);
    if (element->kind == FT_NEST_GEOMETRIC) {
        loop->rows = numbers;
        loop->iteration = 0;
    }
    return FT_OK;
}

static int take_irregular(struct nest_source *source, uint32_t id, struct ft_diag *diag)
{
    if (source->irregular_count &&
        !put_entry(&source->buffer, source->base.reference_count - source->irregular_count + id, 0))
        return no_memory(diag);
    const uint64_t iterations = source->drawing ? ft_drawing_enter(source->drawing, id) : 0;
    if (iterations == 0)
        return FT_OK;
    const struct ft_nest_span body = ft_drawing_iterate(source->drawing, id);
    FT_TRY(push_loop(source, &body, diag));
    struct active_loop *loop = &source->loops[source->loop_count - 1];
    loop->iterations_left = iterations;
    loop->drawn = id;
    return FT_OK;
}

static int take_element(struct nest_source *source, struct active_loop *loop, struct ft_diag *diag)
{
    const uint32_t *tokens = loop->body + loop->at;
    struct ft_nest_element element = ft_nest_element(tokens);
    bool done = true;
    switch (element.kind) {
    case FT_NEST_REPEAT:
    case FT_NEST_CYCLE:
    case FT_NEST_GEOMETRIC:
        return take_repeat(source, loop, &element, tokens + element.head, diag);
    case FT_NEST_ACCESS:
        done = put_entry(&source->buffer, element.id, loop->numbers[loop->number_at++]);
        break;
    case FT_NEST_IRREGULAR:
        loop->at += element.head;
        return take_irregular(source, element.id, diag);
    default: /* brackets */
        break;
    }
    loop->at += element.head;
    return done ? FT_OK : no_memory(diag);
}

static int next(struct ft_run_source *base, struct ft_run_batch *ret_batch, struct ft_diag *diag)
{
    struct nest_source *source = (struct nest_source *)base;
    struct ft_run_buffer *buffer = &source->buffer;
    ft_run_buffer_clear(buffer);
    while (source->loop_count && buffer->entry_count < FT_RUN_BUFFER_ENTRIES) {
        struct active_loop *loop = &source->loops[source->loop_count - 1];
        if (loop->at == loop->length)
            FT_TRY(end_body(source, loop, diag));
        else
            FT_TRY(take_element(source, loop, diag));
    }
    *ret_batch = ft_run_buffer_batch(buffer);
    return FT_OK;
}

static void destroy(struct ft_run_source *base)
{
    struct nest_source *source = (struct nest_source *)base;
    for (size_t i = 0; i < source->loops_made; i++)
        free(source->loops[i].numbers);
    free(source->loops);
    ft_drawing_destroy(source->drawing);
    ft_run_buffer_fini(&source->buffer);
    free((void *)source->base.references);
    free(source);
}

int ft_nest_source_create(const struct ft_nest *nest, const struct ft_nest_source_options *options,
                          struct ft_run_source **ret_source, struct ft_diag *diag)
{
    uint32_t count = options->reference_count + options->irregular_count;
    struct nest_source *source = calloc(1, sizeof *source);
    struct ft_reference *references = calloc(count + (size_t)1, sizeof *references);
    if (!source || !references) {
        free(source);
        free(references);
        ft_drawing_destroy(options->drawing);
        return no_memory(diag);
    }
    memcpy(references, options->references, options->reference_count * sizeof *references);
    source->base = (struct ft_run_source){.references = references,
                                          .reference_count = count,
                                          .access_count = options->access_count,
                                          .next = next,
                                          .destroy = destroy};
    source->irregular_count = options->irregular_count;
    source->drawing = options->drawing;
    const struct ft_nest_span whole = ft_nest_span(nest);
    int status = push_loop(source, &whole, diag);
    if (status) {
        destroy(&source->base);
        return status;
    }
    *ret_source = &source->base;
    return FT_OK;
}
