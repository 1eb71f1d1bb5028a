/*
 * A reading stops between two slices, when each thread has part of a batch left: that remainder is
 * copied. A source in the middle of a record, where no other reader could resume, is read on to its
 * end, which is added to the remainder. So the state is the position in each log, the remainders,
 * and the position in the interleaving; the stacks' contents are a segment from the start, as
 * elsewhere. In a finished reading all threads are at their ends.
 */
#include <stdlib.h>
#include <string.h>

#include "engine/reuse/threads/shared_reading.h"
#include "formats/trace/trace_reader.h"

/* plan: of a stack; of a reading its content. */
static struct ft_piece_key key_of(const struct ft_shared_reading *reading, uint32_t layout)
{
    const struct ft_replay_pass *pass = reading->work->pass;
    return (struct ft_piece_key){.trace = pass->subject->number,
                                 .layout = layout,
                                 .first_size = pass->first_size,
                                 .size_count = (uint32_t)pass->sizes.count,
                                 .region_shift = pass->region_shift,
                                 .is_alone = pass->is_alone};
}

static uint32_t plan_of(const struct ft_shared_reading *reading, const struct ft_trace_stack *stack)
{
    return (uint32_t)(stack - reading->work->stacks);
}

static bool may_be_stopped(const struct ft_shared_reading *reading)
{
    return reading->work->pass->subject->pieces && reading->work->pass->subject->stop;
}

/* Equal content hashes say that it is of this trace, but a file may lie. */
static int fail_kept(struct ft_diag *diag)
{
    return ft_fail(diag, FT_ERROR_DATA, "the checkpoint is of another trace");
}

/* ---- going on ---- */

int ft_shared_reading_take_kept(struct ft_shared_reading *reading, struct ft_diag *diag)
{
    const struct ft_trace_work *work = reading->work;
    const struct ft_replay_pass *pass = work->pass;
    const struct ft_piece_key key = key_of(reading, reading->content);
    uint64_t accesses = 0;
    if (!pass->subject->pieces ||
        !ft_checkpoint_readings_take(&pass->subject->pieces->readings, &key, &reading->kept))
        return FT_OK;
    if (reading->kept.state.thread_count != work->thread_count)
        return fail_kept(diag);
    for (uint32_t t = 0; t < work->thread_count; t++) {
        const struct ft_checkpoint_reader *kept = &reading->kept.readers[t];
        if (kept->position.chunk > ft_trace_log_count(work->trace, t))
            return fail_kept(diag);
        accesses += kept->accesses;
    }
    if (reading->content == FT_RUN_ACCESSES)
        ft_listener_tell(&pass->listener, accesses, true);
    reading->order = reading->kept.order;
    reading->kept.order = (struct ft_thread_order){0};
    return FT_OK;
}

struct ft_log_place ft_shared_reading_position(const struct ft_shared_reading *reading,
                                               uint32_t thread)
{
    return ft_shared_reading_goes_on(reading) ? reading->kept.readers[thread].position
                                              : (struct ft_log_place){0};
}

int ft_shared_reading_resume(struct ft_shared_reading *reading, struct ft_diag *diag)
{
    for (uint32_t t = 0; t < reading->work->thread_count; t++) {
        const struct ft_checkpoint_reader *kept = &reading->kept.readers[t];
        if (kept->motion_count != reading->readers[t].base.reference_count ||
            (kept->counts.units && kept->unit_count != ft_trace_unit_count(reading->work->trace)))
            return fail_kept(diag);
    }
    return ft_interleaving_resume(reading->interleaving, &reading->kept.state, diag);
}

int ft_shared_reading_join(const struct ft_shared_reading *reading, struct ft_trace_stack *stack,
                           struct ft_diag *diag)
{
    const struct ft_piece_key key = key_of(reading, plan_of(reading, stack));
    struct ft_checkpoint_piece *pieces = NULL;
    size_t count = 0;
    int status = ft_checkpoint_pieces_take(reading->work->pass->subject->pieces, &key, &pieces,
                                           &count, diag);
    if (!status &&
        (count != 1 || !pieces[0].segment.is_beginning ||
         pieces[0].segment.reference_count != ft_trace_work_reference_count(reading->work)))
        status = fail_kept(diag);
    if (!status)
        status = ft_segment_join(stack->replay, &pieces[0].segment, NULL, diag);
    if (!status)
        status = ft_replay_go_on(stack->replay, diag);
    for (size_t i = 0; i < count; i++)
        ft_checkpoint_piece_fini(&pieces[i]);
    free(pieces);
    return status;
}

/* ---- the end ---- */

/* Puts what was kept of a reader before what it has read. */
static int add_kept(struct ft_shared_reading *reading, uint32_t thread, bool has_read,
                    struct ft_diag *diag)
{
    struct ft_thread_reader *reader = &reading->readers[thread];
    struct ft_checkpoint_reader *kept = &reading->kept.readers[thread];
    struct ft_thread_reader whole = {
        .base = reader->base, .motions = kept->motions, .counts = kept->counts};
    if (!kept->counts.units)
        return FT_OK; /* nothing was read */
    kept->motions = NULL;
    kept->counts = (struct ft_execution_counts){0};
    int status = has_read ? ft_thread_reader_append(&whole, reader,
                                                    ft_trace_unit_count(reading->work->trace), diag)
                          : FT_OK;
    free(reader->motions);
    reader->motions = whole.motions;
    reader->counts = whole.counts;
    reader->accesses += kept->accesses;
    return status;
}

/* Reads on to a place where others can go on, and lets the reader hand its counts over. */
static int end_reader(struct ft_shared_reading *reading, uint32_t number,
                      struct ft_interleaved_thread *thread, struct ft_log_place *ret_position,
                      struct ft_diag *diag)
{
    struct ft_thread_reader *reader = &reading->readers[number];
    const struct ft_log_place end = {ft_trace_log_count(reading->work->trace, number), 0};
    struct ft_run_batch batch = {.run_count = 1};
    int status = FT_OK;
    *ret_position = ft_shared_reading_position(reading, number);
    while (!status && thread->has_read && batch.run_count) {
        const bool has_position = ft_trace_runs_place(reader->inner, ret_position);
        if (has_position)
            ft_trace_runs_stop(reader->inner);
        else
            *ret_position = end;
        status = reader->base.next(&reader->base, &batch, diag);
        if (!status && batch.run_count)
            status = ft_interleaved_thread_add(thread, &batch, 0, diag);
    }
    return status;
}

/* A reader's strides and counts, of which it still has need. */
static int copy_reader(const struct ft_shared_reading *reading, uint32_t thread,
                       struct ft_checkpoint_reader *kept, struct ft_diag *diag)
{
    const size_t units = ft_trace_unit_count(reading->work->trace);
    const struct ft_thread_reader *reader = &reading->readers[thread];
    struct ft_thread_reader copy = {0};
    int status = ft_thread_reader_copy(reader, units, &copy, diag);
    kept->accesses = reader->accesses;
    kept->motions = copy.motions;
    kept->motion_count = reader->base.reference_count;
    kept->counts = copy.counts;
    kept->unit_count = units;
    return status;
}

int ft_shared_reading_end(struct ft_shared_reading *reading, struct ft_diag *diag)
{
    const struct ft_trace_work *work = reading->work;
    struct ft_checkpoint_reading kept = {.key = key_of(reading, reading->content)};
    if (!may_be_stopped(reading))
        return FT_OK;
    int status = ft_interleaving_leave(reading->interleaving, &kept.state, diag);
    if (!status && !(kept.readers = calloc(work->thread_count + (size_t)1, sizeof *kept.readers)))
        status = ft_fail_memory(diag, "what was read so far");
    for (uint32_t t = 0; !status && t < work->thread_count; t++) {
        struct ft_interleaved_thread *thread = &kept.state.threads[t];
        status = end_reader(reading, t, thread, &kept.readers[t].position, diag);
        if (!status && ft_shared_reading_goes_on(reading))
            status = add_kept(reading, t, thread->has_read, diag);
        if (!status)
            status = copy_reader(reading, t, &kept.readers[t], diag);
    }
    kept.order = reading->order;
    reading->order = (struct ft_thread_order){0};
    if (!status)
        status = ft_checkpoint_readings_put(&work->pass->subject->pieces->readings, &kept, diag);
    ft_checkpoint_reading_fini(&kept);
    return status;
}

int ft_shared_reading_keep_stack(const struct ft_shared_reading *reading,
                                 struct ft_trace_stack *stack, struct ft_diag *diag)
{
    struct ft_checkpoint_piece piece = {.key = key_of(reading, plan_of(reading, stack))};
    if (!may_be_stopped(reading))
        return FT_OK;
    int status = reading->is_stopped ? ft_segment_take(stack->replay, &piece.segment, diag)
                                     : ft_segment_take_whole(stack->replay, &piece.segment, diag);
    return status ? status
                  : ft_checkpoint_pieces_put(reading->work->pass->subject->pieces, &piece, diag);
}
