#include "engine/skeleton/placed_source.h"

#include <stdlib.h>
#include <string.h>

#include "formats/expand/run_buffer.h"

struct placed_source {
    struct ft_run_source base;
    struct ft_run_source *inner;
    struct ft_places places;
    struct ft_run_buffer buffer;
};

/* With both ends of each entry. */
static bool stays(const struct ft_places *places, const struct ft_run_batch *batch,
                  const struct ft_run *run)
{
    const uint64_t last = run->iteration_count - 1;
    for (size_t i = run->first; last && i < run->first + run->reference_count; i++) {
        const uint64_t start = batch->addresses[i];
        if (!ft_places_stay(places, start, start + last * (uint64_t)batch->strides[i]))
            return false;
    }
    return true;
}

/* Iterations from `first` on as one run. */
static bool put_run(struct placed_source *source, const struct ft_run_batch *batch,
                    const struct ft_run *run, uint64_t first, uint64_t iterations)
{
    struct ft_run_buffer *buffer = &source->buffer;
    if (!ft_run_buffer_make_room(buffer, run->reference_count))
        return false;
    const size_t end = buffer->entry_count;
    memcpy(buffer->references + end, batch->references + run->first,
           run->reference_count * sizeof *buffer->references);
    memcpy(buffer->strides + end, batch->strides + run->first,
           run->reference_count * sizeof *buffer->strides);
    for (uint32_t e = 0; e < run->reference_count; e++)
        buffer->addresses[end + e] =
            ft_place_address(&source->places, batch->addresses[run->first + e] +
                                                  first * (uint64_t)batch->strides[run->first + e]);
    ft_run_buffer_add(buffer, run->reference_count, iterations);
    return true;
}

static int next(struct ft_run_source *base, struct ft_run_batch *ret_batch, struct ft_diag *diag)
{
    struct placed_source *source = (struct placed_source *)base;
    struct ft_run_buffer *buffer = &source->buffer;
    struct ft_run_batch batch;
    FT_TRY(source->inner->next(source->inner, &batch, diag));
    ft_run_buffer_clear(buffer);
    bool done = true;
    for (size_t r = 0; done && r < batch.run_count; r++) {
        const struct ft_run *run = &batch.runs[r];
        if (stays(&source->places, &batch, run)) {
            done = put_run(source, &batch, run, 0, run->iteration_count);
            continue;
        }
        for (uint64_t i = 0; done && i < run->iteration_count; i++)
            done = put_run(source, &batch, run, i, 1);
    }
    if (!done)
        return ft_fail_memory(diag, "the accesses of a loop nest");
    *ret_batch = ft_run_buffer_batch(buffer);
    return FT_OK;
}

static void destroy(struct ft_run_source *base)
{
    struct placed_source *source = (struct placed_source *)base;
    source->inner->destroy(source->inner);
    ft_run_buffer_fini(&source->buffer);
    free(source);
}

int ft_placed_source_create(struct ft_run_source *places_source, const struct ft_places *places,
                            struct ft_run_source **ret_source, struct ft_diag *diag)
{
    struct placed_source *source = calloc(1, sizeof *source);
    if (!source) {
        places_source->destroy(places_source);
        return ft_fail_memory(diag, "the accesses of a loop nest");
    }
    source->inner = places_source;
    source->places = *places;
    source->base = *places_source;
    source->base.next = next;
    source->base.destroy = destroy;
    *ret_source = &source->base;
    return FT_OK;
}
