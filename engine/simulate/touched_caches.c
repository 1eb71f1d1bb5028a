/*
 * Why weights hold: a touch stands for others where each of them comes after the same sequence R of
 * blocks, and R after itself (docs/simulate.md, "Exact simulation"). The LRU order after R, R is
 * the one after R: every set holds what it held, and the same touches miss again.
 *
 * A stream is what several caches take: the LRU stack of all fully associative ones of a block
 * size, or the set-associative ones. A touch of the block that was touched last among all blocks of
 * its set in each of the caches changes nothing and hits: the stream lets only others through. It
 * knows these blocks by the low bits that all its caches use to choose a set, so in a cache with
 * more sets they are the last ones of their set all the more.
 *
 * A stream has two buffers: caches take the touches of one while the other fills.
 */
#include "engine/simulate/touched_caches.h"

#include <stdbool.h>
#include <stdlib.h>

#include "engine/simulate/cache.h"

#define BUFFER_TOUCHES (4 * FT_TOUCH_BATCH)
#define CLASSES_MAX    1024U /* of blocks, whose last ones a stream knows */

struct stream {
    unsigned size;     /* of the blocks */
    uint64_t set_bits; /* that all numbers of sets are multiples of 2^n: 2^n - 1 */
    uint32_t *last;    /* [block & set_bits]: tag + 1; 0: none */
    struct ft_cache_touch *filling, *taken;
    size_t count;               /* in `filling` */
    uint64_t tag_count;         /* that the stack has room for */
    struct ft_lru_stack *stack; /* of fully associative caches, or NULL */
    struct ft_set_cache **sets; /* or NULL */
    size_t set_count;
    int status; /* of the stack, and why it failed */
    struct ft_diag diag;
};

struct ft_touched_caches {
    struct ft_touch_listener listener; /* first, so that a listener is cast to its whole */
    uint32_t reference_count;
    size_t shape_count;
    struct stream *streams;
    size_t stream_count;
    struct ft_zero_array regions; /* uint64_t [number]: address */
};

/* ---- touches ---- */

static void take_stack(struct stream *stream, const struct ft_cache_touch *touches, size_t count)
{
    if (stream->status == FT_OK)
        stream->status = ft_lru_stack_take(stream->stack, touches, count, &stream->diag);
}

/* Gives the touches to the stream's caches, once these have taken those before. */
static void hand_over(struct stream *stream)
{
#pragma omp taskwait
    struct ft_cache_touch *touches = stream->filling;
    const size_t count = stream->count;
    if (stream->stack) {
#pragma omp task firstprivate(stream, touches, count)
        take_stack(stream, touches, count);
    }
    for (size_t i = 0; i < stream->set_count; i++) {
#pragma omp task firstprivate(stream, touches, count, i)
        ft_set_cache_take(stream->sets[i], touches, count);
    }
    stream->filling = stream->taken;
    stream->taken = touches;
    stream->count = 0;
}

static void gather(struct stream *stream, const struct ft_stack *stack, const uint64_t *regions,
                   unsigned stack_count, const struct ft_touch *touches, size_t touch_count,
                   const uint32_t *weights)
{
    const unsigned size = stream->size, shift = stack->shift, region_shift = stack->region_shift;
    const uint64_t in_region = (UINT64_C(1) << region_shift) - 1;
    const uint32_t *block_of_region = stack->large ? stack->block_of_region.items : NULL;
    uint32_t *last = stream->last;
    struct ft_cache_touch *next = stream->filling + stream->count;
    for (const struct ft_touch *touch = touches; touch < touches + touch_count; touch++) {
        if (touch->size_end <= size)
            continue;
        const uint64_t number = touch->compact_address >> region_shift;
        const uint64_t block = (regions[number] | (touch->compact_address & in_region)) >> shift;
        const uint32_t tag =
            block_of_region ? block_of_region[number] : (uint32_t)(touch->compact_address >> shift);
        if (last[block & stream->set_bits] == tag + 1)
            continue;
        last[block & stream->set_bits] = tag + 1;
        *next++ = (struct ft_cache_touch){
            .block = block,
            .tag = tag,
            .reference = touch->reference,
            .weight = weights[(size_t)touch->weights * stack_count + size],
        };
    }
    stream->count = (size_t)(next - stream->filling);
}

/* Room for tags of so many blocks. The stack is idle while it makes room. */
static int reserve_tags(struct stream *stream, uint64_t block_count, struct ft_diag *diag)
{
    if (!stream->stack || block_count <= stream->tag_count)
        return FT_OK;
#pragma omp taskwait
    stream->tag_count = block_count;
    if (stream->status != FT_OK) {
        *diag = stream->diag;
        return stream->status;
    }
    return ft_lru_stack_reserve(stream->stack, block_count, diag);
}

static int take(struct ft_touch_listener *listener, const struct ft_stack *stacks,
                unsigned stack_count, const struct ft_touch *touches, size_t touch_count,
                const uint32_t *weights, struct ft_diag *diag)
{
    struct ft_touched_caches *caches = (struct ft_touched_caches *)listener;
    for (size_t i = 0; i < caches->stream_count; i++) {
        struct stream *stream = &caches->streams[i];
        FT_TRY(reserve_tags(stream, stacks[stream->size].block_count, diag));
        if (stream->count + touch_count > BUFFER_TOUCHES)
            hand_over(stream);
        gather(stream, &stacks[stream->size], caches->regions.items, stack_count, touches,
               touch_count, weights);
    }
    return FT_OK;
}

static void complete(struct ft_touch_listener *listener)
{
    struct ft_touched_caches *caches = (struct ft_touched_caches *)listener;
    for (size_t i = 0; i < caches->stream_count; i++)
        hand_over(&caches->streams[i]);
#pragma omp taskwait
}

static uint64_t count_blocks(struct ft_touch_listener *listener)
{
    const struct ft_touched_caches *caches = (struct ft_touched_caches *)listener;
    complete(listener);
    for (size_t i = 0; i < caches->stream_count; i++)
        if (caches->streams[i].size == 0 && caches->streams[i].stack)
            return ft_lru_stack_blocks(caches->streams[i].stack);
    return UINT64_MAX;
}

static int add_region(struct ft_touch_listener *listener, uint32_t number, uint64_t address,
                      struct ft_diag *diag)
{
    struct ft_touched_caches *caches = (struct ft_touched_caches *)listener;
    FT_TRY(ft_zero_array_reserve(&caches->regions, (number + UINT64_C(1)) * sizeof address, diag));
    ((uint64_t *)caches->regions.items)[number] = address;
    return FT_OK;
}

/* ---- caches ---- */

static bool is_full(const struct ft_cache_shape *shape)
{
    return shape->blocks == shape->ways;
}

static int init_stream(const struct ft_cache_shape *shape, size_t set_max, struct stream *stream,
                       struct ft_diag *diag)
{
    *stream = (struct stream){
        .size = shape->size,
        .set_bits = is_full(shape) ? 0 : CLASSES_MAX - 1,
        .last = calloc(CLASSES_MAX, sizeof *stream->last),
        .filling = malloc(BUFFER_TOUCHES * sizeof *stream->filling),
        .taken = malloc(BUFFER_TOUCHES * sizeof *stream->taken),
        .sets = is_full(shape) ? NULL : calloc(set_max, sizeof(struct ft_set_cache *)),
    };
    if (!stream->last || !stream->filling || !stream->taken || (!is_full(shape) && !stream->sets))
        return ft_fail_memory(diag, "the touches of caches");
    return is_full(shape) ? ft_lru_stack_create(&stream->stack, diag) : FT_OK;
}

static int find_stream(struct ft_touched_caches *caches, const struct ft_cache_shape *shape,
                       struct stream **ret_stream, struct ft_diag *diag)
{
    size_t index = 0;
    while (index < caches->stream_count && !(caches->streams[index].size == shape->size &&
                                             !caches->streams[index].stack == !is_full(shape)))
        index++;
    *ret_stream = &caches->streams[index];
    if (index < caches->stream_count)
        return FT_OK;
    caches->stream_count++;
    return init_stream(shape, caches->shape_count, *ret_stream, diag);
}

static int add_cache(struct ft_touched_caches *caches, const struct ft_cache_shape *shape,
                     uint64_t *misses, struct ft_diag *diag)
{
    struct stream *stream;
    FT_TRY(find_stream(caches, shape, &stream, diag));
    if (is_full(shape))
        return ft_lru_stack_add_cache(stream->stack, shape->blocks, misses, diag);
    FT_TRY(ft_set_cache_create(shape->blocks, shape->ways, misses, &stream->sets[stream->set_count],
                               diag));
    stream->set_count++;
    const uint64_t sets = shape->blocks / shape->ways;
    stream->set_bits &= (sets & -sets) - 1;
    return FT_OK;
}

int ft_touched_caches_create(const struct ft_cache_shape *shapes, size_t count,
                             uint32_t reference_count, struct ft_touched_caches **ret_caches,
                             struct ft_diag *diag)
{
    struct ft_touched_caches *caches = calloc(1, sizeof *caches);
    if (!caches)
        return ft_fail_memory(diag, "caches");
    *caches = (struct ft_touched_caches){
        .listener = {.add_region = add_region,
                     .take = take,
                     .complete = complete,
                     .count_blocks = count_blocks,
                     .counters = calloc(count * reference_count + 1, sizeof(uint64_t)),
                     .counter_count = count * reference_count},
        .reference_count = reference_count,
        .shape_count = count,
        .streams = calloc(count + 1, sizeof *caches->streams),
    };
    int status =
        caches->listener.counters && caches->streams ? FT_OK : ft_fail_memory(diag, "caches");
    for (size_t i = 0; status == FT_OK && i < count; i++)
        status =
            add_cache(caches, &shapes[i], caches->listener.counters + i * reference_count, diag);
    if (status != FT_OK) {
        ft_touched_caches_destroy(caches);
        return status;
    }
    *ret_caches = caches;
    return FT_OK;
}

void ft_touched_caches_destroy(struct ft_touched_caches *caches)
{
    if (!caches)
        return;
#pragma omp taskwait
    for (size_t i = 0; i < caches->stream_count; i++) {
        struct stream *stream = &caches->streams[i];
        for (size_t k = 0; k < stream->set_count; k++)
            ft_set_cache_destroy(stream->sets[k]);
        ft_lru_stack_destroy(stream->stack);
        free(stream->sets);
        free(stream->last);
        free(stream->filling);
        free(stream->taken);
    }
    free(caches->streams);
    free(caches->listener.counters);
    ft_zero_array_fini(&caches->regions);
    free(caches);
}

struct ft_touch_listener *ft_touched_caches_listener(struct ft_touched_caches *caches)
{
    return &caches->listener;
}

int ft_touched_caches_end(struct ft_touched_caches *caches, struct ft_diag *diag)
{
    complete(&caches->listener);
    for (size_t i = 0; i < caches->stream_count; i++)
        if (caches->streams[i].status != FT_OK) {
            *diag = caches->streams[i].diag;
            return caches->streams[i].status;
        }
    return FT_OK;
}

const uint64_t *ft_touched_caches_misses(const struct ft_touched_caches *caches, size_t shape)
{
    return caches->listener.counters + shape * caches->reference_count;
}
