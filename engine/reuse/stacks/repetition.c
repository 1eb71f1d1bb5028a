/*
 * An anchor, an item picked at random, is watched for until it recurs twice at the same interval.
 * Then one period of items is recorded and compared with what follows. The first period that
 * matches has the same accesses as the one before it; so has the next, which is measured: counts
 * after it minus counts before. In any further period each block touched was touched at the same
 * positions of the period before: its distances are those of the measured one, and it leaves the
 * LRU order unchanged. So it suffices to compare and count the periods.
 *
 * If scopes are followed, a period is measured only after one that ended in the activations it
 * started in: then so do all periods equal to it, and sources lie in the same scopes.
 *
 * Waiting is expensive for long periods: so a long interval is recorded as soon as the anchor
 * recurs, and the period after the record is measured before it is known to be equal; if it is not,
 * the measurement is discarded. After such a mistake detection waits as usual, until a period has
 * been skipped.
 *
 * When the program diverges, what was skipped of the last period is taken from the record. Copying
 * counts must pay off: many accesses have to match first.
 *
 * An item may stand for one access or for millions, so the search for an anchor is bounded in both:
 * an anchor from program start-up must not be waited for throughout the few long loops. The bound
 * in accesses doubles whenever it is reached, so that it eventually exceeds any period.
 */

#include "engine/reuse/stacks/repetition.h"

#include <stdlib.h>

#include "engine/reuse/stacks/batch.h"
#include "engine/reuse/stacks/repeated_counts.h"
#include "formats/base/array.h"

#define PERIOD_MAX         (1U << 21) /* items; 64 MiB of them */
#define PICK_WITHIN        4096U
#define PICK_SOON          16U
#define WAIT_ACCESSES      (UINT64_C(1) << 18) /* before an anchor is picked, at most */
#define SEARCH_ACCESSES    (UINT64_C(1) << 21) /* for the first anchors */
#define WORTH_ACCESSES     (UINT64_C(1) << 20)
#define COUNTERS_AN_ACCESS 16U
#define HASTY_ACCESSES     (UINT64_C(1) << 18) /* of an interval that is recorded at once */

void ft_repetition_init(struct ft_repetition *repetition)
{
    *repetition = (struct ft_repetition){.worth_accesses = WORTH_ACCESSES,
                                         .counters_an_access = COUNTERS_AN_ACCESS,
                                         .pick_within = PICK_WITHIN,
                                         .wait = PICK_WITHIN,
                                         .search_accesses = SEARCH_ACCESSES,
                                         .hasty_accesses = HASTY_ACCESSES,
                                         .is_hasty = true};
}

void ft_repetition_fini(struct ft_repetition *repetition)
{
    ft_repeated_counts_fini(&repetition->counts);
    free(repetition->record);
    repetition->record = NULL;
}

static struct ft_repetition_item item_of(const struct ft_run_batch *batch, const struct ft_run *run,
                                         uint32_t entry)
{
    size_t index = run->first + entry;
    bool iterates = run->iteration_count != 1;
    return (struct ft_repetition_item){
        .address = batch->addresses[index],
        .stride = iterates ? batch->strides[index] : 0,
        .iterations = run->iteration_count,
        .reference = batch->references[index],
        .rest = iterates ? run->reference_count - 1 - entry : 0,
    };
}

static bool same_item(const struct ft_repetition_item *a, const struct ft_repetition_item *b)
{
    return a->address == b->address && a->reference == b->reference && a->stride == b->stride &&
           a->iterations == b->iterations && a->rest == b->rest;
}

void ft_repetition_restart(struct ft_repetition *repetition)
{
    repetition->seed = repetition->seed * UINT64_C(6364136223846793005) + 1442695040888963407U;
    repetition->wait = 1 + (repetition->seed >> 33) % repetition->pick_within;
    repetition->passed_accesses = 0;
    repetition->state = FT_REPETITION_PICKING;
}

/* Entries from `from` on that can be taken apart: one by one, or a whole body that iterates. */
static uint32_t entries_left(const struct ft_run *run, uint32_t from)
{
    return run->reference_count - from;
}

/* The first access from an entry on, or reference_count: the entries are steps of the program. */
static uint32_t next_access(const struct ft_replay *replay, const struct ft_run_batch *batch,
                            const struct ft_run *run, uint32_t entry)
{
    const uint32_t *references = batch->references + run->first;
    while (entry < run->reference_count && references[entry] >= replay->first_step)
        entry++;
    return entry;
}

/* Counts the wait down over the run; the item on which it ends, the first access of a body where
 * it iterates, becomes the anchor. Where accesses are too many to wait for, it is one of the next
 * few items. */
static uint32_t pick(struct ft_replay *replay, const struct ft_run_batch *batch,
                     const struct ft_run *run, uint32_t from)
{
    struct ft_repetition *repetition = &replay->repetition;
    uint32_t entries = entries_left(run, from);
    if (repetition->passed_accesses > WAIT_ACCESSES && repetition->wait > PICK_SOON)
        repetition->wait = 1 + repetition->wait % PICK_SOON;
    if (repetition->wait > entries) {
        repetition->wait -= entries;
        repetition->passed_accesses += entries * run->iteration_count;
        return entries;
    }
    uint32_t chosen = run->iteration_count == 1 ? from + (uint32_t)repetition->wait - 1 : from;
    uint32_t access = next_access(replay, batch, run, chosen);
    if (access == run->reference_count) { /* it will be in the next run that has one */
        repetition->wait = 1;
        return entries;
    }
    if (run->iteration_count == 1)
        chosen = access;
    repetition->anchor = item_of(batch, run, access);
    repetition->since = run->reference_count - chosen;
    repetition->passed_accesses = 0;
    repetition->interval = 0;
    repetition->state = FT_REPETITION_SEARCHING;
    return entries;
}

/* Entries before the anchor, or before the body that has it; or all that are left. */
static uint32_t search(const struct ft_replay *replay, const struct ft_run_batch *batch,
                       const struct ft_run *run, uint32_t from)
{
    const struct ft_repetition_item *anchor = &replay->repetition.anchor;
    const uint64_t *addresses = batch->addresses + run->first;
    const uint32_t *references = batch->references + run->first;
    const bool iterates = run->iteration_count != 1;
    uint32_t first = iterates ? next_access(replay, batch, run, from) : from;
    uint32_t end = iterates && first < run->reference_count ? first + 1 : run->reference_count;
    for (uint32_t j = first; j < end; j++)
        if (addresses[j] == anchor->address && references[j] == anchor->reference)
            return iterates ? 0 : j - from;
    return entries_left(run, from);
}

/* The anchor is the next item: notes the interval. */
static void meet_anchor(struct ft_repetition *repetition)
{
    const bool is_long =
        repetition->is_hasty && repetition->passed_accesses >= repetition->hasty_accesses;
    if (repetition->since == repetition->interval || (repetition->interval == 0 && is_long)) {
        repetition->period = (size_t)repetition->since;
        repetition->at = 0;
        repetition->period_accesses = repetition->matched_accesses = 0;
        repetition->state = FT_REPETITION_RECORDING;
    } else if (repetition->interval) {
        ft_repetition_restart(repetition);
    } else {
        repetition->interval = repetition->since;
        repetition->since = 0;
        repetition->passed_accesses = 0;
    }
}

void ft_repetition_pass(struct ft_repetition *repetition, uint64_t items, uint64_t accesses)
{
    repetition->passed_accesses += accesses;
    if (repetition->state == FT_REPETITION_PICKING) {
        repetition->wait -= items < repetition->wait ? items : repetition->wait - 1;
        return;
    }
    repetition->since += items;
    if (repetition->passed_accesses > repetition->search_accesses) {
        repetition->search_accesses *= 2;
        ft_repetition_restart(repetition);
    } else if (repetition->since > PERIOD_MAX) {
        ft_repetition_restart(repetition);
    }
}

/* Appends the run's entries to the record, up to the period's end. 0: the period ends inside a body
 * that iterates. */
static uint32_t record(struct ft_repetition *repetition, const struct ft_run_batch *batch,
                       const struct ft_run *run, uint32_t from)
{
    uint32_t entries = entries_left(run, from);
    size_t room = repetition->period - repetition->at;
    if (entries > room) {
        if (run->iteration_count != 1)
            return 0;
        entries = (uint32_t)room;
    }
    for (uint32_t j = 0; j < entries; j++)
        repetition->record[repetition->at++] = item_of(batch, run, from + j);
    repetition->period_accesses += entries * run->iteration_count;
    return entries;
}

/* Entries that are as in the record, up to the period's end; all of a body that iterates, or 0. */
static uint32_t compare(const struct ft_repetition *repetition, const struct ft_run_batch *batch,
                        const struct ft_run *run, uint32_t from)
{
    uint32_t entries = entries_left(run, from);
    size_t room = repetition->period - repetition->at;
    const struct ft_repetition_item *record = repetition->record + repetition->at;
    if (entries > room) {
        if (run->iteration_count != 1)
            return 0;
        entries = (uint32_t)room;
    }
    for (uint32_t j = 0; j < entries; j++) {
        struct ft_repetition_item item = item_of(batch, run, from + j);
        if (!same_item(&item, &record[j]))
            return run->iteration_count == 1 ? j : 0;
    }
    return entries;
}

/* A repetition can be done without. */
static bool has_room(const struct ft_replay *replay, uint64_t bytes)
{
    return !replay->budget || ft_memory_has_room(replay->budget, bytes);
}

/* The first period that follows the record: whether it matches is not known yet. */
static bool is_worth_trying(struct ft_replay *replay)
{
    const struct ft_repetition *repetition = &replay->repetition;
    return repetition->is_hasty && !replay->scopes.steps &&
           repetition->period_accesses >= repetition->hasty_accesses &&
           repetition->period_accesses >=
               ft_repeated_counters(replay) / repetition->counters_an_access &&
           ft_repeated_counts_have_room(&repetition->counts, replay);
}

static bool is_worth_measuring(struct ft_replay *replay)
{
    const struct ft_repetition *repetition = &replay->repetition;
    return repetition->matched_accesses >= repetition->worth_accesses &&
           repetition->matched_accesses >=
               ft_repeated_counters(replay) / repetition->counters_an_access &&
           ft_repeated_counts_have_room(&repetition->counts, replay);
}

/* A period ends, and another begins. */
static void note_activations(struct ft_replay *replay)
{
    struct ft_repetition *repetition = &replay->repetition;
    if (!replay->scopes.steps) {
        repetition->is_steady = true;
        return;
    }
    repetition->is_steady =
        ft_scope_walk_is_back(&replay->scopes, FT_WATCH_PERIODS, &repetition->start);
    ft_scope_walk_remember(&replay->scopes, FT_WATCH_PERIODS, &repetition->start);
}

static int begin_measuring(struct ft_replay *replay, struct ft_diag *diag)
{
    int status = ft_replay_flush(replay, diag);
    if (!status)
        status = ft_repeated_counts_note(&replay->repetition.counts, replay, diag);
    replay->repetition.state = FT_REPETITION_MEASURING;
    return status;
}

static int end_period(struct ft_replay *replay, struct ft_diag *diag)
{
    struct ft_repetition *repetition = &replay->repetition;
    int status = FT_OK;
    repetition->at = 0;
    switch (repetition->state) {
    case FT_REPETITION_RECORDING:
        repetition->state = FT_REPETITION_COMPARING;
        note_activations(replay);
        if (is_worth_trying(replay))
            status = begin_measuring(replay, diag);
        break;
    case FT_REPETITION_COMPARING:
        repetition->matched_accesses += repetition->period_accesses;
        note_activations(replay);
        if (repetition->is_steady && is_worth_measuring(replay))
            status = begin_measuring(replay, diag);
        break;
    case FT_REPETITION_MEASURING:
        status = ft_replay_flush(replay, diag);
        if (!status)
            status = ft_repeated_counts_measure(&repetition->counts, replay, diag);
        repetition->skipped = 0;
        repetition->skips++;
        repetition->is_hasty = true;
        repetition->state = FT_REPETITION_SKIPPING;
        break;
    default:
        repetition->skipped++;
        break;
    }
    return status;
}

/* The program goes on otherwise. Gives the items of the record that were skipped. */
static size_t leave(struct ft_replay *replay)
{
    struct ft_repetition *repetition = &replay->repetition;
    size_t retake = 0;
    if (repetition->state == FT_REPETITION_SKIPPING) {
        ft_repeated_counts_add(&repetition->counts, replay, repetition->skipped);
        retake = repetition->at;
    } else if (repetition->matched_accesses == 0) {
        repetition->is_hasty = false;
    }
    ft_repetition_restart(repetition);
    return retake;
}

static bool has_room_to_record(const struct ft_replay *replay)
{
    const struct ft_repetition *repetition = &replay->repetition;
    return repetition->period <= repetition->record_capacity ||
           has_room(replay, repetition->period * sizeof *repetition->record);
}

int ft_repetition_next(struct ft_replay *replay, const struct ft_run_batch *batch,
                       const struct ft_run *run, uint32_t from, struct ft_repetition_step *ret_step,
                       struct ft_diag *diag)
{
    struct ft_repetition *repetition = &replay->repetition;
    struct ft_repetition_step step = {0};
    if (repetition->state >= FT_REPETITION_RECORDING && repetition->at == repetition->period) {
        int status = end_period(replay, diag);
        if (status)
            return status;
    }
    if (repetition->state == FT_REPETITION_SEARCHING) {
        step.entries = search(replay, batch, run, from);
        if (step.entries == 0)
            meet_anchor(repetition);
        if (step.entries == 0 && repetition->state == FT_REPETITION_SEARCHING)
            step.entries = run->iteration_count == 1 ? 1 : entries_left(run, from);
        if (repetition->state == FT_REPETITION_SEARCHING)
            ft_repetition_pass(repetition, step.entries, step.entries * run->iteration_count);
    }
    if (repetition->state == FT_REPETITION_RECORDING && !has_room_to_record(replay)) {
        step.entries = 0;
    } else if (repetition->state == FT_REPETITION_RECORDING) {
        if (!FT_RESERVE(repetition->record, repetition->record_capacity, repetition->period))
            return ft_fail_memory(diag, "a period");
        step.entries = record(repetition, batch, run, from);
    } else if (repetition->state >= FT_REPETITION_COMPARING) {
        step.entries = compare(repetition, batch, run, from);
        step.skip = repetition->state == FT_REPETITION_SKIPPING && step.entries > 0;
        repetition->at += step.entries;
    }
    if (step.entries == 0) {
        if (repetition->state >= FT_REPETITION_RECORDING)
            step.retake = leave(replay);
        step.entries = pick(replay, batch, run, from);
    }
    *ret_step = step;
    return FT_OK;
}

int ft_repetition_end(struct ft_replay *replay, size_t *ret_retake, struct ft_diag *diag)
{
    struct ft_repetition *repetition = &replay->repetition;
    int status = FT_OK;
    *ret_retake = 0;
    if (repetition->state >= FT_REPETITION_RECORDING && repetition->at == repetition->period)
        status = end_period(replay, diag);
    if (!status && repetition->state >= FT_REPETITION_RECORDING)
        *ret_retake = leave(replay);
    return status;
}
