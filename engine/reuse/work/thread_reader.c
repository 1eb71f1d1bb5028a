/*
 * A pass-through source: records what it needs batch by batch, and keeps no batch.
 */
#include "engine/reuse/work/thread_reader.h"

#include <stdlib.h>
#include <string.h>

#include "engine/reuse/stacks/repeated_pass.h"
#include "formats/histograms/histograms.h"

static uint32_t accesses_of_body(const struct ft_thread_reader *reader,
                                 const struct ft_run_batch *batch, const struct ft_run *run)
{
    if (reader->first_fetch == reader->base.reference_count)
        return run->reference_count;
    uint32_t accesses = 0;
    for (size_t j = run->first; j < run->first + run->reference_count; j++)
        accesses += batch->references[j] < reader->first_fetch;
    return accesses;
}

static void note_run(struct ft_reference_motion *motion, uint64_t first, int64_t stride,
                     uint64_t iterations)
{
    const uint64_t last = first + (uint64_t)stride * (iterations - 1);
    ft_reference_runs_add(motion, stride, stride < 0 ? last : first);
    ft_seen_run_add(&motion->seen, first, stride, iterations);
}

static uint64_t note_batch(struct ft_thread_reader *reader, const struct ft_run_batch *batch)
{
    uint64_t accesses = 0;
    for (const struct ft_run *run = batch->runs; run < batch->runs + batch->run_count; run++) {
        accesses += accesses_of_body(reader, batch, run) * run->iteration_count;
        const size_t end = run->first + run->reference_count;
        if (run->iteration_count > 1)
            for (size_t j = run->first; j < end; j++)
                note_run(&reader->motions[batch->references[j]], batch->addresses[j],
                         batch->strides[j], run->iteration_count);
        else
            for (size_t j = run->first; j < end; j++)
                ft_seen_address_add(&reader->motions[batch->references[j]].seen,
                                    batch->addresses[j]);
    }
    return accesses;
}

static int mark_pass(struct ft_thread_reader *reader, struct ft_diag *diag)
{
    const size_t references = reader->base.reference_count;
    if (!reader->marked_steps)
        reader->marked_steps = malloc((references + 1) * sizeof *reader->marked_steps);
    if (!reader->marked_steps)
        return ft_fail_memory(diag, "strides");
    FT_TRY(ft_trace_runs_mark(reader->inner, diag));
    for (size_t r = 0; r < references; r++)
        reader->marked_steps[r] = reader->motions[r].seen;
    reader->marked_accesses = reader->accesses;
    reader->marked = ft_replay_skips(reader->replay);
    reader->is_marked = true;
    return ft_replay_note_pass(reader->replay, diag);
}

/* Counts what was read since the mark so many times more. What else is known of the steps stays:
 * the pass between began where those that follow do. */
static void add_passes(struct ft_thread_reader *reader, uint64_t passes)
{
    const uint64_t accesses = passes * (reader->accesses - reader->marked_accesses);
    for (size_t r = 0; r < reader->base.reference_count; r++) {
        struct ft_seen_steps *seen = &reader->motions[r].seen;
        seen->accesses += passes * (seen->accesses - reader->marked_steps[r].accesses);
        seen->repeats += passes * (seen->repeats - reader->marked_steps[r].repeats);
    }
    reader->accesses += accesses;
    ft_listener_tell(&reader->listener, accesses, false);
}

/* Where the log comes again, and the replay has skipped or measured a whole pass, the others need
 * not be read: they are the same. */
static int skip_passes(struct ft_thread_reader *reader, struct ft_diag *diag)
{
    const uint64_t passes = ft_trace_runs_passes(reader->inner);
    if (passes == 0)
        return FT_OK;
    const bool is_known =
        reader->is_marked && (ft_replay_skip_more(reader->replay, &reader->marked, 0) ||
                              ft_replay_has_pass(reader->replay));
    if (!is_known || !ft_trace_runs_pass(reader->inner, passes))
        return mark_pass(reader, diag);
    if (!ft_replay_skip_more(reader->replay, &reader->marked, passes))
        FT_TRY(ft_replay_add_passes(reader->replay, passes, diag));
    add_passes(reader, passes);
    reader->is_marked = false;
    return FT_OK;
}

static int reader_next(struct ft_run_source *source, struct ft_run_batch *ret_batch,
                       struct ft_diag *diag)
{
    struct ft_thread_reader *reader = (struct ft_thread_reader *)source;
    int status = reader->inner->next(reader->inner, ret_batch, diag);
    if (status)
        return status;
    uint64_t accesses = note_batch(reader, ret_batch);
    reader->accesses += accesses;
    if (ret_batch->run_count)
        ft_listener_tell(&reader->listener, accesses, false);
    if (!reader->replay || ret_batch->run_count == 0)
        return FT_OK;
    status = ft_replay_take(reader->replay, ret_batch, diag);
    return status ? status : skip_passes(reader, diag);
}

int ft_thread_reader_open(struct ft_thread_reader *reader, struct ft_trace *trace, uint32_t thread,
                          unsigned content, struct ft_log_place from, struct ft_log_place to,
                          struct ft_listener listener, struct ft_diag *diag)
{
    reader->listener = listener;
    int status = ft_trace_runs_between(trace, thread, content, from, to, &reader->counts,
                                       &reader->inner, diag);
    if (status)
        return status;
    reader->base = *reader->inner;
    reader->base.next = reader_next;
    while (reader->first_fetch < reader->base.reference_count &&
           reader->base.references[reader->first_fetch].kind != FT_FETCH)
        reader->first_fetch++;
    reader->motions = malloc((reader->base.reference_count + (size_t)1) * sizeof *reader->motions);
    if (!reader->motions)
        return ft_fail_memory(diag, "references");
    for (uint32_t r = 0; r < reader->base.reference_count; r++)
        reader->motions[r] = ft_reference_motion_none();
    return FT_OK;
}

int ft_thread_reader_append(struct ft_thread_reader *reader, struct ft_thread_reader *more,
                            size_t unit_count, struct ft_diag *diag)
{
    for (uint32_t r = 0; r < reader->base.reference_count; r++) {
        ft_reference_runs_add(&reader->motions[r], more->motions[r].stride, more->motions[r].base);
        ft_seen_steps_append(&reader->motions[r].seen, &more->motions[r].seen);
    }
    return ft_execution_counts_append(&reader->counts, &more->counts, unit_count, diag);
}

int ft_thread_reader_copy(const struct ft_thread_reader *reader, size_t unit_count,
                          struct ft_thread_reader *ret_copy, struct ft_diag *diag)
{
    const size_t references = reader->base.reference_count;
    struct ft_thread_reader copy = {
        .motions = malloc((references + 1) * sizeof *copy.motions),
        .counts = {.first = reader->counts.first,
                   .last = reader->counts.last,
                   .first_is_loop = reader->counts.first_is_loop,
                   .last_is_known = reader->counts.last_is_known},
    };
    int status = copy.motions ? FT_OK : ft_fail_memory(diag, "strides");
    if (!status && reader->counts.units) /* else nothing was counted */
        status = ft_execution_counts_add(&copy.counts, &reader->counts, unit_count, diag);
    if (status) {
        ft_thread_reader_fini(&copy);
        return status;
    }
    memcpy(copy.motions, reader->motions, references * sizeof *copy.motions);
    *ret_copy = copy;
    return FT_OK;
}

void ft_thread_reader_close(struct ft_thread_reader *reader)
{
    if (reader->inner)
        reader->inner->destroy(reader->inner);
    reader->inner = NULL;
    free(reader->marked_steps);
    reader->marked_steps = NULL;
    reader->is_marked = false;
}

void ft_thread_reader_fini(struct ft_thread_reader *reader)
{
    ft_thread_reader_close(reader);
    free(reader->motions);
    ft_execution_counts_fini(&reader->counts);
    *reader = (struct ft_thread_reader){0};
}
