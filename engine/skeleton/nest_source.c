#include "engine/skeleton/nest_source.h"

#include <stdlib.h>
#include <string.h>

#include "engine/skeleton/nest_walk.h"
#include "formats/expand/run_buffer.h"

struct nest_source {
    struct ft_run_source base;
    uint32_t irregular_count;
    struct ft_nest_walk *walk;
    struct ft_run_buffer buffer;
};

static int no_memory(struct ft_diag *diag)
{
    return ft_fail_memory(diag, "the accesses of a loop nest");
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

/* A loop without loops as a run. */
static bool put_run(struct ft_run_buffer *buffer, const struct ft_walk_step *step)
{
    const uint64_t *numbers = step->numbers;
    if (!ft_run_buffer_make_room(buffer, step->number_count))
        return false;
    const size_t first = buffer->entry_count;
    size_t entries = 0;
    for (size_t at = 0; at < step->token_count;) {
        struct ft_nest_element element = ft_nest_element(step->tokens + at);
        if (element.kind == FT_NEST_ACCESS)
            buffer->references[first + entries++] = element.id;
        at += element.head;
    }
    memcpy(buffer->addresses + first, numbers + 1, entries * sizeof *buffer->addresses);
    memcpy(buffer->strides + first, numbers + 1 + step->number_count,
           entries * sizeof *buffer->strides);
    ft_run_buffer_add(buffer, (uint32_t)entries, numbers[0]);
    return true;
}

static bool put_step(struct nest_source *source, const struct ft_walk_step *step)
{
    switch (step->event) {
    case FT_WALK_ACCESS:
        return put_entry(&source->buffer, ft_nest_id(*step->tokens), *step->numbers);
    case FT_WALK_RUN:
        return put_run(&source->buffer, step);
    case FT_WALK_IRREGULAR:
        return source->irregular_count == 0 ||
               put_entry(&source->buffer,
                         source->base.reference_count - source->irregular_count +
                             ft_nest_id(*step->tokens),
                         0);
    default:
        return true;
    }
}

static int next(struct ft_run_source *base, struct ft_run_batch *ret_batch, struct ft_diag *diag)
{
    struct nest_source *source = (struct nest_source *)base;
    struct ft_run_buffer *buffer = &source->buffer;
    struct ft_walk_step step = {.event = FT_WALK_ENTER};
    ft_run_buffer_clear(buffer);
    while (step.event != FT_WALK_END && buffer->entry_count < FT_RUN_BUFFER_ENTRIES) {
        FT_TRY(ft_nest_walk_next(source->walk, &step, diag));
        if (!put_step(source, &step))
            return no_memory(diag);
    }
    *ret_batch = ft_run_buffer_batch(buffer);
    return FT_OK;
}

static void destroy(struct ft_run_source *base)
{
    struct nest_source *source = (struct nest_source *)base;
    ft_nest_walk_destroy(source->walk);
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
    int status = ft_nest_walk_create(nest, options->drawing, &source->walk, diag);
    if (status) {
        destroy(&source->base);
        return status;
    }
    *ret_source = &source->base;
    return FT_OK;
}
