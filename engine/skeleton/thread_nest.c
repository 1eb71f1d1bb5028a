#include "engine/skeleton/thread_nest.h"

#include <stdlib.h>

#include "engine/streams/run_batch.h"

/* Iterations of a run after which marks can tell that the others go on alike. */
#define MARKED_MIN 4U
/* A pass that must be taken again ends when it has gone this far beyond where that was noticed. */
#define RESTART_FACTOR 2U

struct taking {
    struct ft_run_source *source;
    struct ft_scope_walk walk;
    struct ft_nest_builder *builder;
    struct ft_nest_mark mark;
    struct ft_nest string;         /* a string instruction's accesses */
    struct ft_heap_blocks *blocks; /* NULL: addresses stay as they are */
    uint32_t first_fetch;
    uint64_t accesses;
    uint64_t end; /* of a pass that must be taken again; 0: not known to be one */
};

/* Tells the builder what a step changed. */
static int take_operations(struct taking *taking, struct ft_diag *diag)
{
    struct ft_scope_walk *walk = &taking->walk;
    for (size_t i = 0; i < walk->operation_count; i++) {
        const struct ft_scope_operation *operation = &walk->operations[i];
        if (operation->scope == FT_SCOPE_LEFT) {
            FT_TRY(ft_nest_builder_leave(taking->builder, operation->depth, diag));
            continue;
        }
        if (operation->scope == FT_SCOPE_ITERATES) {
            FT_TRY(ft_nest_builder_iterate(taking->builder, diag));
            continue;
        }
        const struct ft_scope_level *level = &walk->levels[operation->depth - 1];
        bool is_loop = level->loop != FT_NO_LOOP;
        FT_TRY(ft_nest_builder_enter(taking->builder, is_loop ? FT_NEST_LOOP : FT_NEST_ROUTINE,
                                     is_loop ? level->loop : level->routine, diag));
    }
    walk->operation_count = 0;
    return FT_OK;
}

static int take_access(struct taking *taking, uint32_t reference, uint64_t address,
                       struct ft_diag *diag)
{
    uint64_t from, to;
    if (taking->blocks) {
        if (taking->accesses >= ft_heap_blocks_next(taking->blocks))
            FT_TRY(ft_heap_blocks_advance(taking->blocks, taking->accesses, diag));
        address = ft_heap_blocks_place(taking->blocks, reference, address, &from, &to);
    }
    taking->accesses++;
    return ft_nest_builder_access(taking->builder, reference, address, diag);
}

static int take_iteration(struct taking *taking, const struct ft_run_batch *batch,
                          const struct ft_run *run, uint64_t iteration, struct ft_diag *diag)
{
    const size_t end = run->first + run->reference_count;
    for (size_t i = run->first; i < end; i++) {
        uint32_t reference = batch->references[i];
        if (reference < taking->first_fetch) {
            uint64_t address = batch->addresses[i];
            if (iteration)
                address += iteration * (uint64_t)batch->strides[i];
            FT_TRY(take_access(taking, reference, address, diag));
            continue;
        }
        FT_TRY(ft_scope_walk_step(&taking->walk, reference, 0, diag));
        if (taking->walk.operation_count)
            FT_TRY(take_operations(taking, diag));
    }
    return FT_OK;
}

/* How many iterations behind this one stay in the same blocks. */
static uint64_t iterations_in_blocks(const struct taking *taking, const struct ft_run_batch *batch,
                                     const struct ft_run *run, uint64_t iteration)
{
    uint64_t iterations = run->iteration_count - iteration - 1;
    for (size_t i = run->first; i < run->first + run->reference_count; i++) {
        const uint32_t reference = batch->references[i];
        const int64_t stride = batch->strides[i];
        if (reference >= taking->first_fetch || stride == 0)
            continue;
        uint64_t address = batch->addresses[i] + iteration * (uint64_t)stride, from, to;
        ft_heap_blocks_place(taking->blocks, reference, address, &from, &to);
        uint64_t room = stride > 0 ? (to - 1 - address) / (uint64_t)stride
                                   : (address - from) / (0 - (uint64_t)stride);
        if (room < iterations)
            iterations = room;
    }
    return iterations;
}

static uint64_t accesses_of(const struct taking *taking, const struct ft_run_batch *batch,
                            const struct ft_run *run)
{
    uint64_t accesses = 0;
    for (size_t i = run->first; i < run->first + run->reference_count; i++)
        accesses += batch->references[i] < taking->first_fetch;
    return accesses;
}

/* A run without fetches is of one string instruction; false in *ret_taken where it is no such run,
 * or leaves a block. */
static int take_string(struct taking *taking, const struct ft_run_batch *batch,
                       const struct ft_run *run, bool *ret_taken, struct ft_diag *diag)
{
    const uint64_t accesses = accesses_of(taking, batch, run);
    *ret_taken = false;
    if (accesses < run->reference_count || run->iteration_count < 2)
        return FT_OK;
    ft_nest_clear(&taking->string);
    if (taking->blocks)
        FT_TRY(ft_heap_blocks_advance(taking->blocks, taking->accesses, diag));
    if (taking->blocks && iterations_in_blocks(taking, batch, run, 0) + 1 < run->iteration_count)
        return FT_OK;
    for (size_t i = run->first; i < run->first + run->reference_count; i++) {
        uint64_t address = batch->addresses[i], from, to;
        if (taking->blocks)
            address =
                ft_heap_blocks_place(taking->blocks, batch->references[i], address, &from, &to);
        if (!ft_nest_add_access(&taking->string, batch->references[i], address))
            return ft_fail_memory(diag, "a string instruction");
    }
    struct ft_nest_span body = ft_nest_span(&taking->string);
    FT_TRY(ft_nest_builder_string(taking->builder, &body,
                                  (const uint64_t *)batch->strides + run->first,
                                  run->iteration_count, ret_taken, diag));
    if (*ret_taken)
        taking->accesses += accesses * run->iteration_count;
    return FT_OK;
}

static int take_run(struct taking *taking, const struct ft_run_batch *batch,
                    const struct ft_run *run, struct ft_diag *diag)
{
    const bool is_marked = run->iteration_count >= MARKED_MIN;
    const uint64_t accesses = accesses_of(taking, batch, run);
    bool is_string;
    FT_TRY(take_string(taking, batch, run, &is_string, diag));
    if (is_string)
        return FT_OK;
    taking->mark.entry = 0;
    for (uint64_t i = 0; i < run->iteration_count; i++) {
        FT_TRY(take_iteration(taking, batch, run, i, diag));
        if (!is_marked)
            continue;
        FT_TRY(ft_nest_builder_mark(taking->builder, &taking->mark, diag));
        if (!taking->mark.is_steady && !taking->mark.is_idle)
            continue;
        uint64_t more = taking->blocks && !taking->mark.is_idle
                            ? iterations_in_blocks(taking, batch, run, i)
                            : run->iteration_count - i - 1;
        if (more && ft_nest_builder_repeat(taking->builder, &taking->mark, more)) {
            taking->accesses += more * accesses;
            taking->mark.entry = 0;
            i += more;
        }
    }
    return FT_OK;
}

/* From the start to the end, or to where it must be taken again. */
static int take_all(struct taking *taking, const struct ft_thread_nest_task *task,
                    struct ft_diag *diag)
{
    struct ft_run_source *source = taking->source;
    for (;;) {
        struct ft_run_batch batch;
        FT_TRY(source->next(source, &batch, diag));
        if (batch.run_count == 0)
            return FT_OK;
        FT_TRY(ft_run_batch_check(source, &batch, diag));
        for (size_t i = 0; i < batch.run_count; i++)
            FT_TRY(take_run(taking, &batch, &batch.runs[i], diag));
        if (task->watch)
            FT_TRY(task->watch(task->context, taking->accesses, diag));
        if (ft_nest_builder_must_restart(taking->builder) && taking->end == 0)
            taking->end = RESTART_FACTOR * taking->accesses;
        if (taking->end && taking->accesses >= taking->end)
            return FT_OK;
    }
}

static int take_pass(struct ft_nest_builder *builder, const struct ft_thread_nest_task *task,
                     struct ft_heap_blocks *blocks, struct ft_diag *diag)
{
    struct ft_run_source *source;
    FT_TRY(task->open(task->context, &source, diag));
    struct taking taking = {.source = source,
                            .walk = {.steps = task->steps},
                            .builder = builder,
                            .blocks = task->memory ? blocks : NULL,
                            .first_fetch = task->steps->first};
    int status = FT_OK;
    if (task->memory) {
        ft_heap_blocks_fini(blocks);
        status = ft_heap_blocks_init(blocks, task->memory, task->steps->first, diag);
    }
    if (!status)
        status = take_all(&taking, task, diag);
    ft_scope_walk_fini(&taking.walk);
    ft_nest_mark_fini(&taking.mark);
    ft_nest_fini(&taking.string);
    source->destroy(source);
    return status;
}

int ft_thread_nest(const struct ft_thread_nest_task *task, struct ft_thread_skeleton *ret_thread,
                   struct ft_block_events *ret_blocks, struct ft_diag *diag)
{
    struct ft_nest_builder *builder;
    struct ft_heap_blocks blocks = {0};
    FT_TRY(ft_nest_builder_create(task->steps->first, task->routine_count, &builder, diag));
    if (task->loop_words)
        ft_nest_builder_limit(builder, task->loop_words);
    int status = take_pass(builder, task, &blocks, diag);
    while (!status && ft_nest_builder_must_restart(builder)) {
        ft_nest_builder_restart(builder);
        status = take_pass(builder, task, &blocks, diag);
    }
    if (!status)
        status = ft_nest_builder_end(builder, ret_thread, diag);
    ft_nest_builder_destroy(builder);
    if (!status && ret_blocks) {
        *ret_blocks = blocks.events;
        blocks.events = (struct ft_block_events){0};
    }
    ft_heap_blocks_fini(&blocks);
    return status;
}
