/*
 * A run of several iterations is taken through its body once, which tells how far each reference
 * stays in its object; so many iterations are one piece. Calls and returns inside a body that come
 * back to where they were make no difference to the iterations behind the first; where they do not,
 * each iteration is a piece.
 */
#include "engine/data/data_walk.h"

#include <stdlib.h>

#include "formats/base/array.h"

int ft_data_walk_init(struct ft_data_walk *walk, const struct ft_trace *trace,
                      const struct ft_memory_events *events, struct ft_data_objects *objects,
                      const struct ft_run_source *source, struct ft_pair_table *table,
                      struct ft_diag *diag)
{
    *walk = (struct ft_data_walk){.table = table};
    int status = ft_address_space_init(&walk->space, trace, events, objects, diag);
    if (status == FT_OK)
        status = ft_stack_roles_find(trace, source->references, source->reference_count,
                                     &walk->roles, diag);
    if (status == FT_OK &&
        !(walk->found = calloc(source->reference_count + (size_t)1, sizeof *walk->found)))
        status = ft_fail_memory(diag, "the data of a program");
    if (status)
        ft_data_walk_fini(walk);
    return status;
}

void ft_data_walk_fini(struct ft_data_walk *walk)
{
    ft_address_space_fini(&walk->space);
    ft_stack_roles_fini(&walk->roles);
    free(walk->found);
    free(walk->pairs);
    *walk = (struct ft_data_walk){0};
}

/* What a reference touches: its pair, and how far the object goes. */
struct touched {
    uint32_t pair;
    uint64_t start, end;
};

/* Code is what it is, wherever it stands. */
static int look_up_code(struct ft_data_walk *walk, const struct ft_run_source *source,
                        uint32_t reference, struct touched *ret_touched, struct ft_diag *diag)
{
    struct ft_found_data *found = &walk->found[reference];
    if (!found->frame_pair) {
        uint32_t object, pair;
        int status =
            ft_data_code(walk->space.objects, source->references[reference].module, &object, diag);
        if (status == FT_OK)
            status = ft_pair_table_find(walk->table, reference, object, &pair, diag);
        if (status)
            return status;
        found->frame_pair = pair + 1;
    }
    *ret_touched = (struct touched){found->frame_pair - 1, 0, UINT64_MAX};
    return FT_OK;
}

static int look_up(struct ft_data_walk *walk, const struct ft_run_source *source, uint32_t thread,
                   uint32_t reference, uint64_t address, struct touched *ret_touched,
                   struct ft_diag *diag)
{
    struct ft_found_data *found = &walk->found[reference];
    struct ft_thread_space *thread_space = &walk->space.threads[thread];
    struct ft_data_location location;
    uint32_t pair;
    if (source->references[reference].kind == FT_FETCH)
        return look_up_code(walk, source, reference, ret_touched, diag);
    bool in_own_frame = ft_is_in_own_frame(thread_space, address);
    if (in_own_frame && found->frame_pair) {
        uint64_t end = thread_space->calls.count
                           ? thread_space->calls.entries[thread_space->calls.count - 1].address
                           : thread_space->first_rsp;
        *ret_touched = (struct touched){found->frame_pair - 1, thread_space->stack_low, end};
        return FT_OK;
    }
    if (!in_own_frame && address - found->start < found->end - found->start &&
        found->version == walk->space.version) {
        *ret_touched = (struct touched){found->pair, found->start, found->end};
        return FT_OK;
    }
    FT_TRY(ft_address_space_find(&walk->space, thread, source->references[reference].pc, address,
                                 &location, diag));
    FT_TRY(ft_pair_table_find(walk->table, reference, location.object, &pair, diag));
    if (location.lasts) {
        found->start = location.start;
        found->end = location.end;
        found->version = walk->space.version;
        found->pair = pair;
    } else if (in_own_frame &&
               ft_data_object(walk->space.objects, location.object)->kind == FT_DATA_STACK) {
        found->frame_pair = pair + 1;
    }
    *ret_touched = (struct touched){pair, location.start, location.end};
    return FT_OK;
}

/* What calls and returns do to the thread's stack. */
static int follow_calls(struct ft_data_walk *walk, struct ft_thread_space *thread_space,
                        uint32_t reference, uint64_t address, struct ft_diag *diag)
{
    if (walk->roles.roles[reference] == FT_STACK_CALL)
        return ft_call_stack_push(&thread_space->calls, address, walk->roles.return_pc[reference],
                                  diag);
    ft_call_stack_drop(&thread_space->calls, address);
    return FT_OK;
}

/* Iterations from an address on until a reference leaves [start, end). */
static uint64_t steps_inside(uint64_t address, int64_t stride, const struct touched *touched)
{
    if (stride == 0)
        return UINT64_MAX;
    return stride > 0 ? (touched->end - 1 - address) / (uint64_t)stride + 1
                      : (address - touched->start) / -(uint64_t)stride + 1;
}

/* One iteration of the entries [first, first + count); pairs are set, and how many iterations go on
 * like it. */
static int take_body(struct ft_data_walk *walk, const struct ft_run_source *source,
                     const struct ft_run_batch *batch, const struct ft_run *run, uint64_t iteration,
                     uint64_t *ret_steps, struct ft_diag *diag)
{
    struct ft_thread_space *thread_space = &walk->space.threads[batch->thread];
    const size_t depth = thread_space->calls.count;
    const uint64_t inner = depth ? thread_space->calls.entries[depth - 1].address : 0;
    uint64_t steps = run->iteration_count - iteration;
    for (uint32_t j = 0; j < run->reference_count; j++) {
        uint32_t reference = batch->references[run->first + j];
        int64_t stride = batch->strides[run->first + j];
        uint64_t address = batch->addresses[run->first + j] + iteration * (uint64_t)stride;
        struct touched touched;
        int status = look_up(walk, source, batch->thread, reference, address, &touched, diag);
        if (status == FT_OK && walk->roles.roles[reference]) {
            status = follow_calls(walk, thread_space, reference, address, diag);
            steps = stride ? 1 : steps;
        }
        if (status)
            return status;
        walk->pairs[j] = touched.pair;
        uint64_t inside = steps_inside(address, stride, &touched);
        steps = inside < steps ? inside : steps;
        thread_space->pc = source->references[reference].pc;
    }
    if (thread_space->calls.count != depth ||
        (depth && thread_space->calls.entries[depth - 1].address != inner))
        steps = 1;
    *ret_steps = steps;
    return FT_OK;
}

static uint32_t accesses_of(const struct ft_run_source *source, const struct ft_run_batch *batch,
                            const struct ft_run *run)
{
    uint32_t accesses = 0;
    for (uint32_t j = 0; j < run->reference_count; j++)
        accesses += source->references[batch->references[run->first + j]].kind != FT_FETCH;
    return accesses;
}

static int take_run(struct ft_data_walk *walk, const struct ft_run_source *source,
                    const struct ft_run_batch *batch, const struct ft_run *run,
                    ft_data_visitor *visit, void *context, struct ft_diag *diag)
{
    struct ft_thread_space *thread_space = &walk->space.threads[batch->thread];
    const uint32_t accesses = accesses_of(source, batch, run);
    for (uint64_t i = 0; i < run->iteration_count;) {
        uint64_t steps;
        int status = thread_space->accesses >= thread_space->next_position
                         ? ft_address_space_catch_up(&walk->space, batch->thread, diag)
                         : FT_OK;
        if (status == FT_OK)
            status = take_body(walk, source, batch, run, i, &steps, diag);
        if (status)
            return status;
        uint64_t until_event =
            accesses ? (thread_space->next_position - thread_space->accesses) / accesses
                     : UINT64_MAX;
        if (steps > until_event)
            steps = until_event ? until_event : 1;
        struct ft_data_piece piece = {run->first, run->reference_count, i, steps,
                                      true,       walk->pairs};
        status = visit(context, batch, &piece, diag);
        if (status)
            return status;
        thread_space->accesses += steps * accesses;
        i += steps;
    }
    return FT_OK;
}

/* A run of one iteration may stand for many records, with events between them. */
static int take_entries(struct ft_data_walk *walk, const struct ft_run_source *source,
                        const struct ft_run_batch *batch, const struct ft_run *run,
                        ft_data_visitor *visit, void *context, struct ft_diag *diag)
{
    struct ft_thread_space *thread_space = &walk->space.threads[batch->thread];
    for (uint32_t j = 0; j < run->reference_count; j++) {
        uint32_t reference = batch->references[run->first + j];
        uint64_t address = batch->addresses[run->first + j];
        struct touched touched;
        int status = thread_space->accesses >= thread_space->next_position
                         ? ft_address_space_catch_up(&walk->space, batch->thread, diag)
                         : FT_OK;
        if (status == FT_OK)
            status = look_up(walk, source, batch->thread, reference, address, &touched, diag);
        if (status == FT_OK && walk->roles.roles[reference])
            status = follow_calls(walk, thread_space, reference, address, diag);
        if (status)
            return status;
        walk->pairs[j] = touched.pair;
        thread_space->pc = source->references[reference].pc;
        thread_space->accesses += source->references[reference].kind != FT_FETCH;
    }
    struct ft_data_piece piece = {run->first, run->reference_count, 0, 1, false, walk->pairs};
    return run->reference_count ? visit(context, batch, &piece, diag) : FT_OK;
}

int ft_data_walk_take(struct ft_data_walk *walk, const struct ft_run_source *source,
                      const struct ft_run_batch *batch, ft_data_visitor *visit, void *context,
                      struct ft_diag *diag)
{
    int status = ft_address_space_begin(&walk->space, batch->thread, diag);
    if (status == FT_OK && !FT_RESERVE(walk->pairs, walk->pair_capacity, batch->entry_count + 1))
        status = ft_fail_memory(diag, "the data of a program");
    for (size_t r = 0; status == FT_OK && r < batch->run_count; r++) {
        const struct ft_run *run = &batch->runs[r];
        if (run->reference_count == 0)
            continue;
        status = run->iteration_count == 1
                     ? take_entries(walk, source, batch, run, visit, context, diag)
                     : take_run(walk, source, batch, run, visit, context, diag);
    }
    return status;
}
