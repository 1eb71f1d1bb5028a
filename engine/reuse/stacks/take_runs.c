/*
 * Turns runs into touches: runs of three or more iterations are walked from crossing to crossing
 * (run_walk.c), others are unrolled. Rows that touch the same blocks (rows.h) and long repetitions
 * (repetition.h) are not taken one by one.
 */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "engine/reuse/stacks/batch.h"
#include "engine/reuse/stacks/repetition.h"
#include "engine/reuse/stacks/replay.h"
#include "engine/reuse/stacks/rows.h"
#include "formats/base/array.h"

/* One access, at every size. An access may cover more blocks than a batch has room for. One that
 * stays in the block of the smallest size that was touched last, as a quarter of them do in code
 * without loops, is at distance 0 at every size and changes nothing: it is only counted. */
static inline int take_access(struct ft_replay *replay, uint64_t address, uint32_t reference,
                              struct ft_diag *diag)
{
    const unsigned size_end = replay->size_count;
    struct ft_reference_state *state = &replay->references[reference];
    const unsigned shift = replay->stacks[0].shift;
    uint64_t rest = ft_replay_blocks_after_first(replay, address, state->extra_bytes);
    if (address >> shift == replay->last_block && rest == 0 && replay->has_last_block) {
        state->repeats += replay->times;
        return FT_OK;
    }
    replay->last_block = (address + state->extra_bytes) >> shift;
    replay->has_last_block = !replay->pairs; /* each touch has a source */
    if (__builtin_expect(rest > 0, 0))
        ft_spans_add_access(replay->spans, replay->block_bytes, size_end, address,
                            state->extra_bytes);
    if (__builtin_expect(replay->touch_count == FT_TOUCH_BATCH, 0)) {
        int status = ft_replay_flush(replay, diag);
        if (status)
            return status;
    }
    int status =
        ft_replay_touch(replay, address, reference, size_end, ft_replay_unit_row(replay), diag);
    while (!status && __builtin_expect(rest > 0, 0)) {
        uint64_t room = FT_TOUCH_BATCH - replay->touch_count;
        uint64_t now = rest < room ? rest : room;
        status = ft_replay_touch_rest(replay, address, now, reference, size_end,
                                      ft_replay_unit_row(replay), diag);
        address += now << shift;
        rest -= now;
        if (!status && rest)
            status = ft_replay_flush(replay, diag);
    }
    return status;
}

/* Whether all touches of an iteration fit into an empty batch, wherever its addresses lie. */
static bool iteration_fits(const struct ft_replay *replay, const uint32_t *references,
                           uint32_t count)
{
    uint64_t touches = 0;
    for (uint32_t j = 0; j < count; j++)
        touches += 2 + (replay->references[references[j]].extra_bytes >> replay->stacks[0].shift);
    return touches <= FT_TOUCH_BATCH;
}

#define WALK_ITERATIONS_MIN 3U
#define WALK_ITERATIONS_MAX (UINT64_C(1) << 31)

/* Addresses of iteration `iteration` go to `addresses`. */
static void body_addresses(const struct ft_run_batch *batch, const struct ft_run *run,
                           uint64_t iteration, uint64_t *addresses)
{
    for (uint32_t j = 0; j < run->reference_count; j++)
        addresses[j] =
            batch->addresses[run->first + j] + iteration * (uint64_t)batch->strides[run->first + j];
}

/* More changes of scopes than this wait for no touches. */
#define SCOPE_OPERATIONS_MAX (1U << 16)

/* An access, or a step of the program where scopes are followed. */
static inline int take_entry(struct ft_replay *replay, uint64_t address, uint32_t reference,
                             struct ft_diag *diag)
{
    if (__builtin_expect(reference < replay->first_step, 1))
        return take_access(replay, address, reference, diag);
    int status = replay->scopes.operation_count >= SCOPE_OPERATIONS_MAX
                     ? ft_replay_flush(replay, diag)
                     : FT_OK;
    return status ? status : ft_replay_step(replay, reference, diag);
}

static int take_loop(struct ft_replay *replay, const struct ft_run_batch *batch,
                     const struct ft_run *run, struct ft_diag *diag)
{
    const uint32_t *references = batch->references + run->first;
    const int64_t *strides = batch->strides + run->first;
    const uint32_t count = run->reference_count;
    if (!FT_RESERVE(replay->body, replay->body_capacity, count))
        return ft_fail_memory(diag, "the body of a run");
    for (uint32_t j = 0; j < count; j++)
        if (references[j] < replay->first_step)
            ft_stride_add(&replay->references[references[j]].stride, strides[j]);
    int status = FT_OK;
    if (run->iteration_count < WALK_ITERATIONS_MIN || !iteration_fits(replay, references, count)) {
        for (uint64_t i = 0; !status && i < run->iteration_count; i++) {
            body_addresses(batch, run, i, replay->body);
            for (uint32_t j = 0; !status && j < count; j++)
                status = take_entry(replay, replay->body[j], references[j], diag);
        }
        return status;
    }
    for (uint64_t done = 0; !status && done < run->iteration_count;) {
        uint64_t left = run->iteration_count - done;
        uint64_t now = left < WALK_ITERATIONS_MAX ? left : WALK_ITERATIONS_MAX;
        body_addresses(batch, run, done, replay->body);
        if (replay->scopes.operation_count >= SCOPE_OPERATIONS_MAX)
            status = ft_replay_flush(replay, diag);
        for (uint32_t j = 0; j < count; j++) {
            if (references[j] >= replay->first_step)
                continue;
            ft_spans_add_run(replay->spans, replay->block_bytes, replay->size_count,
                             replay->body[j], (uint64_t)strides[j],
                             replay->references[references[j]].extra_bytes, now);
        }
        if (!status)
            status = ft_replay_walk(replay, references, replay->body, strides, count, now, diag);
        done += now;
    }
    return status;
}

/* Takes entries of a run: any of a single iteration, all of a body that iterates. */
static int take_entries(struct ft_replay *replay, const struct ft_run_batch *batch,
                        const struct ft_run *run, uint32_t from, uint32_t count,
                        struct ft_diag *diag)
{
    const uint32_t *references = batch->references + run->first + from;
    const uint64_t *addresses = batch->addresses + run->first + from;
    const uint64_t each = run->iteration_count * replay->times;
    uint64_t accesses = 0;
    for (uint32_t j = 0; j < count; j++)
        if (__builtin_expect(references[j] < replay->first_step, 1)) {
            replay->references[references[j]].accesses += each;
            accesses++;
        }
    replay->access_count += accesses * each;
    if (run->iteration_count > 1)
        return take_loop(replay, batch, run, diag);
    int status = FT_OK;
    for (uint32_t j = 0; !status && j < count * run->iteration_count; j++)
        status = take_entry(replay, addresses[j], references[j], diag);
    return status;
}

/* Takes the first items of the record, each body as a run. */
static int take_record(struct ft_replay *replay, size_t count, struct ft_diag *diag)
{
    const struct ft_repetition_item *items = replay->repetition.record;
    uint32_t *references = NULL;
    uint64_t *addresses = NULL;
    int64_t *strides = NULL;
    size_t capacities[3] = {0};
    int status = FT_OK;
    for (size_t i = 0; !status && i < count;) {
        uint32_t entries = items[i].rest + 1;
        if (!FT_RESERVE(references, capacities[0], entries) ||
            !FT_RESERVE(addresses, capacities[1], entries) ||
            !FT_RESERVE(strides, capacities[2], entries)) {
            status = ft_fail_memory(diag, "the body of a run");
            break;
        }
        assert(references && addresses && strides); /* entries is at least 1 */
        for (uint32_t j = 0; j < entries; j++) {
            references[j] = items[i + j].reference;
            addresses[j] = items[i + j].address;
            strides[j] = items[i + j].stride;
        }
        struct ft_run run = {0, entries, items[i].iterations};
        struct ft_run_batch batch = {&run, 1, references, addresses, strides, entries};
        status = take_entries(replay, &batch, &run, 0, entries, diag);
        i += entries;
    }
    free(references);
    free(addresses);
    free(strides);
    return status;
}

/* Takes a run, or a part of one that does not iterate, as far as it is not skipped. */
static int take_run(struct ft_replay *replay, const struct ft_run_batch *batch,
                    const struct ft_run *run, struct ft_diag *diag)
{
    for (uint32_t from = 0; from < run->reference_count;) {
        struct ft_repetition_step step = {.entries = run->reference_count - from};
        int status = ft_repetition_next(replay, batch, run, from, &step, diag);
        if (!status && step.retake)
            status = take_record(replay, step.retake, diag);
        if (!status && !step.skip)
            status = take_entries(replay, batch, run, from, step.entries, diag);
        if (status)
            return status;
        from += step.entries;
    }
    return FT_OK;
}

/* Takes the items of one row and moves on past it; gives their entries. */
static int take_row(struct ft_replay *replay, const struct ft_run_batch *batch,
                    struct ft_batch_position *position, size_t items, uint64_t *ret_entries,
                    struct ft_diag *diag)
{
    int status = FT_OK;
    *ret_entries = 0;
    for (; !status && items; items--) {
        const struct ft_run *run = &batch->runs[position->run];
        uint32_t entries = run->iteration_count == 1 ? 1 : run->reference_count;
        status = take_entries(replay, batch, run, position->entry, entries, diag);
        *ret_entries += entries;
        ft_batch_advance(batch, position);
    }
    return status;
}

/* The first row, then the second for all others; where scopes are followed, the first one that
 * comes after a row has ended in the activations that it began in. */
static int take_rows(struct ft_replay *replay, const struct ft_run_batch *batch,
                     struct ft_batch_position *position, struct ft_rows rows, struct ft_diag *diag)
{
    const bool follows = replay->scopes.steps != NULL;
    const uint64_t accesses = replay->access_count;
    uint64_t entries = 0, left = rows.count;
    struct ft_scope_snapshot snapshot;
    bool steady = false;
    int status = FT_OK;
    if (follows)
        ft_scope_walk_remember(&replay->scopes, FT_WATCH_ROWS, &snapshot);
    for (; !status && left > 1 && !steady; left--) {
        status = take_row(replay, batch, position, rows.items, &entries, diag);
        steady = !follows || ft_scope_walk_is_back(&replay->scopes, FT_WATCH_ROWS, &snapshot);
        if (follows)
            ft_scope_walk_remember(&replay->scopes, FT_WATCH_ROWS, &snapshot);
    }
    if (status)
        return status;
    uint64_t spans[FT_BLOCK_SIZES_MAX];
    memcpy(spans, replay->spans, sizeof spans);
    ft_replay_set_times(replay, (uint32_t)left);
    status = take_row(replay, batch, position, rows.items, &entries, diag);
    for (unsigned s = 0; s < replay->size_count; s++)
        replay->spans[s] += (left - 1) * (replay->spans[s] - spans[s]);
    ft_replay_set_times(replay, 1);
    for (uint64_t skipped = (left - 1) * rows.items; skipped; skipped--)
        ft_batch_advance(batch, position);
    ft_repetition_pass(&replay->repetition, rows.count * entries, replay->access_count - accesses);
    return status;
}

static int take_batch(struct ft_replay *replay, const struct ft_run_batch *batch,
                      struct ft_diag *diag)
{
    int status = FT_OK;
    for (struct ft_batch_position position = {0, 0}; !status && position.run < batch->run_count;) {
        const struct ft_run *run = &batch->runs[position.run];
        if (run->reference_count == 0) {
            position.run++;
            continue;
        }
        struct ft_run piece = {run->first + position.entry, run->reference_count - position.entry,
                               run->iteration_count};
        if (!ft_repetition_is_seen(&replay->repetition)) {
            struct ft_rows rows = ft_rows_find(replay, batch, position);
            if (rows.count) {
                status = take_rows(replay, batch, &position, rows, diag);
                continue;
            }
            piece.reference_count = ft_rows_none_before(replay, batch, position);
        }
        status = take_run(replay, batch, &piece, diag);
        position.entry += piece.reference_count;
        if (position.entry == run->reference_count)
            position = (struct ft_batch_position){position.run + 1, 0};
    }
    return status;
}

/* The batches so far are of another thread: they are taken to their end, where that thread stays.
 */
static int change_thread(struct ft_replay *replay, uint32_t thread, struct ft_diag *diag)
{
    if (thread >= replay->threads.count)
        return ft_fail(diag, FT_ERROR_FAILURE, "a batch of thread %u of %u", thread,
                       replay->threads.count);
    int status = ft_replay_end(replay, diag);
    if (!status)
        ft_thread_scopes_change(&replay->threads, thread, &replay->scopes, &replay->scope_times);
    return status;
}

int ft_replay_take(struct ft_replay *replay, const struct ft_run_batch *batch, struct ft_diag *diag)
{
    struct ft_run_batch accesses;
    int status = FT_OK;
    if (replay->pairs && replay->threads.count > 1 && batch->thread != replay->threads.current)
        status = change_thread(replay, batch->thread, diag);
    if (status || replay->first_passed == UINT32_MAX)
        return status ? status : take_batch(replay, batch, diag);
    status =
        ft_without_steps_take(&replay->without_steps, replay->first_passed, batch, &accesses, diag);
    return status ? status : take_batch(replay, &accesses, diag);
}

int ft_replay_end(struct ft_replay *replay, struct ft_diag *diag)
{
    size_t retake = 0;
    FT_TRY(ft_repetition_end(replay, &retake, diag));
    FT_TRY(take_record(replay, retake, diag));
    return ft_replay_flush(replay, diag);
}
