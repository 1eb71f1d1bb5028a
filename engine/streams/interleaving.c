/*
 * Each thread has a cursor in its source's batch and knows the segment between two timestamps that
 * it is in. The thread whose next slice is due first may go on up to the first slice of its own
 * that is not due before the next thread's: where others wait long, that is many slices at once,
 * and loops stay whole. What it may take is copied entry by entry; loops are cut at the borders of
 * the grant, into single iterations where those fall inside of one.
 */
#include "engine/streams/interleaving.h"

#include <stdlib.h>

#include "formats/base/array.h"

#define ENTRIES_MAX 4096U
#define TIME_MAX    (UINT64_C(1) << 62) /* the end of threads without timestamps */

__extension__ typedef unsigned __int128 wide;

struct thread {
    struct ft_run_source *source;
    const struct ft_thread_timestamps *order;
    struct ft_run_batch batch;
    struct ft_interleaved_thread kept; /* from before, the first batch */
    bool has_read;                     /* from its source */
    size_t run;                        /* the next of the batch */
    uint64_t iteration;                /* the next of the run */
    uint32_t entry;                    /* the next of the iteration */
    bool ended;

    size_t segment;         /* timestamps that lie behind */
    uint64_t taken, length; /* accesses of the segment */
    uint64_t start, end;    /* times of it */
    uint64_t due;           /* the time of the next access */
};

struct ft_interleaving {
    uint32_t thread_count;
    struct thread *threads;
    uint32_t timed;                 /* references below are accesses, others take no time */
    uint64_t first_time, last_time; /* of all timestamps */
    uint32_t current;               /* the thread that goes on */
    uint64_t granted;               /* accesses that it may still take */
    struct ft_run *runs;
    uint32_t *references;
    uint64_t *addresses;
    int64_t *strides;
    size_t run_count, entry_count;
};

/* ---- time ---- */

static void start_segment(const struct ft_interleaving *interleaving, struct thread *thread)
{
    const struct ft_thread_timestamps *order = thread->order;
    const struct ft_timestamp *before =
        thread->segment ? &order->timestamps[thread->segment - 1] : NULL;
    const struct ft_timestamp *after =
        thread->segment < order->count ? &order->timestamps[thread->segment] : NULL;
    uint64_t first = before ? before->accesses : 0;
    thread->taken = 0;
    thread->length = (after ? after->accesses : order->accesses) - first;
    thread->start = before ? before->time : interleaving->first_time;
    thread->end = after ? after->time : interleaving->last_time;
    if (thread->end < thread->start)
        thread->end = thread->start;
}

/* To the segment that the next access lies in. */
static void find_next(const struct ft_interleaving *interleaving, struct thread *thread)
{
    while (thread->taken == thread->length && !thread->ended) {
        if (thread->segment == thread->order->count) {
            thread->ended = true;
        } else {
            thread->segment++;
            start_segment(interleaving, thread);
        }
    }
    if (!thread->ended)
        thread->due = thread->start + (uint64_t)((wide)(thread->end - thread->start) *
                                                 thread->taken / thread->length);
}

/* Accesses from the next one on up to the end of the last slice that begins before `limit`, which
 * the slice at hand does; all of the segment where its end comes first. */
static uint64_t accesses_before(const struct thread *thread, uint64_t limit)
{
    uint64_t left = thread->length - thread->taken;
    if (limit >= thread->end)
        return left;
    /* Access k is at or after the limit from k * (end - start) >= (limit - start) * length on. */
    wide duration = thread->end - thread->start;
    uint64_t first =
        (uint64_t)(((wide)(limit - thread->start) * thread->length + duration - 1) / duration);
    wide slices = ((wide)first + FT_SLICE_ACCESSES - 1) / FT_SLICE_ACCESSES;
    wide max = slices * FT_SLICE_ACCESSES;
    return max < thread->length ? (uint64_t)max - thread->taken : left;
}

/* Chooses the thread that goes on; false at the end of all. */
static bool choose(struct ft_interleaving *interleaving)
{
    uint32_t first = UINT32_MAX, second = UINT32_MAX;
    uint64_t first_time = 0, second_time = 0;
    for (uint32_t t = 0; t < interleaving->thread_count; t++) {
        const struct thread *thread = &interleaving->threads[t];
        if (thread->ended)
            continue;
        uint64_t time = thread->due;
        if (first == UINT32_MAX || time < first_time) {
            second = first, second_time = first_time;
            first = t, first_time = time;
        } else if (second == UINT32_MAX || time < second_time) {
            second = t, second_time = time;
        }
    }
    if (first == UINT32_MAX)
        return false;
    interleaving->current = first;
    uint64_t limit = second == UINT32_MAX ? UINT64_MAX : second_time + (first < second);
    interleaving->granted = accesses_before(&interleaving->threads[first], limit);
    return true;
}

/* ---- what is taken ---- */

static void put_run(struct ft_interleaving *interleaving, const struct thread *thread,
                    uint32_t from, uint32_t count, uint64_t iterations)
{
    const struct ft_run *run = &thread->batch.runs[thread->run];
    size_t at = interleaving->entry_count;
    interleaving->runs[interleaving->run_count++] = (struct ft_run){at, count, iterations};
    for (uint32_t j = 0; j < count; j++, at++) {
        size_t index = run->first + from + j;
        interleaving->references[at] = thread->batch.references[index];
        interleaving->strides[at] = thread->batch.strides[index];
        interleaving->addresses[at] = thread->batch.addresses[index];
        if (thread->iteration) /* strides of runs of one iteration mean nothing */
            interleaving->addresses[at] += thread->iteration * (uint64_t)interleaving->strides[at];
    }
    interleaving->entry_count = at;
}

/* Accesses among entries of the run at hand. */
static uint32_t count_accesses(const struct ft_interleaving *interleaving,
                               const struct thread *thread, uint32_t from, uint32_t count)
{
    const uint32_t *references =
        thread->batch.references + thread->batch.runs[thread->run].first + from;
    uint32_t accesses = 0;
    for (uint32_t j = 0; j < count; j++)
        accesses += references[j] < interleaving->timed;
    return accesses;
}

/* Entries of the iteration at hand, as many as are granted and have room; gives their accesses. */
static uint64_t take_entries(struct ft_interleaving *interleaving, struct thread *thread)
{
    const struct ft_run *run = &thread->batch.runs[thread->run];
    const uint32_t *references = thread->batch.references + run->first + thread->entry;
    uint64_t max = run->reference_count - thread->entry, count = 0, accesses = 0;
    if (max > ENTRIES_MAX - interleaving->entry_count)
        max = ENTRIES_MAX - interleaving->entry_count;
    while (count < max && accesses < interleaving->granted)
        accesses += references[count++] < interleaving->timed;
    put_run(interleaving, thread, thread->entry, (uint32_t)count, 1);
    thread->entry += (uint32_t)count;
    if (thread->entry == run->reference_count) {
        thread->entry = 0;
        thread->iteration++;
    }
    return accesses;
}

/* Whole iterations where they are granted, else entries of one; gives their accesses. */
static uint64_t take_run(struct ft_interleaving *interleaving, struct thread *thread)
{
    const struct ft_run *run = &thread->batch.runs[thread->run];
    uint64_t iterations = run->iteration_count - thread->iteration;
    if (thread->entry || iterations < 2 ||
        run->reference_count > ENTRIES_MAX - interleaving->entry_count)
        return take_entries(interleaving, thread);
    const uint64_t accesses = count_accesses(interleaving, thread, 0, run->reference_count);
    if (accesses && iterations > interleaving->granted / accesses)
        iterations = interleaving->granted / accesses;
    if (iterations < 2)
        return take_entries(interleaving, thread);
    put_run(interleaving, thread, 0, run->reference_count, iterations);
    thread->iteration += iterations;
    return iterations * accesses;
}

/* Whether the run at hand iterates and finds room in a batch of its own, but not in this one. */
static bool is_for_next_batch(const struct ft_interleaving *interleaving,
                              const struct thread *thread)
{
    const struct ft_run *run = &thread->batch.runs[thread->run];
    return thread->entry == 0 && run->iteration_count - thread->iteration > 1 &&
           run->reference_count <= ENTRIES_MAX &&
           run->reference_count > ENTRIES_MAX - interleaving->entry_count;
}

/* Makes the thread's cursor point at an access; false at the end of its source. */
static int find_run(struct thread *thread, bool *ret_found, struct ft_diag *diag)
{
    for (;;) {
        for (; thread->run < thread->batch.run_count; thread->run++, thread->iteration = 0) {
            const struct ft_run *run = &thread->batch.runs[thread->run];
            *ret_found = run->reference_count && thread->iteration < run->iteration_count;
            if (*ret_found)
                return FT_OK;
        }
        int status = thread->source->next(thread->source, &thread->batch, diag);
        thread->has_read = true;
        thread->run = 0;
        *ret_found = false;
        if (status || thread->batch.run_count == 0)
            return status;
    }
}

/* Whether accesses are left from the cursor on in its run. */
static bool has_accesses(const struct ft_interleaving *interleaving, const struct thread *thread)
{
    const struct ft_run *run = &thread->batch.runs[thread->run];
    const bool is_last = thread->iteration + 1 == run->iteration_count;
    const uint32_t from = is_last ? thread->entry : 0;
    return count_accesses(interleaving, thread, from, run->reference_count - from) > 0;
}

/* Lets a source come to its end, where it hands its counts over. */
static int end_source(const struct ft_interleaving *interleaving, uint32_t number,
                      struct ft_diag *diag)
{
    struct thread *thread = &interleaving->threads[number];
    bool found;
    int status = find_run(thread, &found, diag);
    while (!status && found) {
        if (has_accesses(interleaving, thread))
            return ft_fail(diag, FT_ERROR_DATA, "thread %u has more accesses than its log counts",
                           number);
        thread->run++;
        thread->iteration = thread->entry = 0;
        status = find_run(thread, &found, diag);
    }
    return status;
}

static int end_sources(struct ft_interleaving *interleaving, struct ft_run_batch *ret_batch,
                       struct ft_diag *diag)
{
    int status = FT_OK;
    for (uint32_t t = 0; !status && t < interleaving->thread_count; t++)
        status = end_source(interleaving, t, diag);
    *ret_batch = (struct ft_run_batch){0};
    return status;
}

int ft_interleaving_next(struct ft_interleaving *interleaving, uint32_t *ret_thread,
                         struct ft_run_batch *ret_batch, struct ft_diag *diag)
{
    interleaving->run_count = interleaving->entry_count = 0;
    bool any = interleaving->granted > 0 || choose(interleaving);
    struct thread *thread = &interleaving->threads[interleaving->current];
    while (any && interleaving->granted && interleaving->entry_count < ENTRIES_MAX) {
        bool found;
        int status = find_run(thread, &found, diag);
        if (status)
            return status;
        if (!found)
            return ft_fail(diag, FT_ERROR_DATA, "thread %u has fewer accesses than its log counts",
                           interleaving->current);
        if (is_for_next_batch(interleaving, thread))
            break;
        uint64_t taken = take_run(interleaving, thread);
        interleaving->granted -= taken;
        thread->taken += taken;
    }
    if (!any)
        return end_sources(interleaving, ret_batch, diag);
    find_next(interleaving, thread);
    *ret_thread = interleaving->current;
    *ret_batch = (struct ft_run_batch){
        .runs = interleaving->runs,
        .run_count = interleaving->run_count,
        .references = interleaving->references,
        .addresses = interleaving->addresses,
        .strides = interleaving->strides,
        .entry_count = interleaving->entry_count,
    };
    return FT_OK;
}

/* The first and the last timestamp of all. */
static void find_times(struct ft_interleaving *interleaving, const struct ft_thread_order *order)
{
    uint64_t first = UINT64_MAX, last = 0;
    for (uint32_t t = 0; t < order->thread_count; t++) {
        const struct ft_thread_timestamps *thread = &order->threads[t];
        if (thread->count == 0)
            continue;
        uint64_t end = thread->timestamps[thread->count - 1].time;
        first = thread->timestamps[0].time < first ? thread->timestamps[0].time : first;
        last = end > last ? end : last;
    }
    interleaving->first_time = first <= last ? first : 0;
    interleaving->last_time = first <= last ? last : TIME_MAX;
}

int ft_interleaving_create(struct ft_run_source *const *sources,
                           const struct ft_thread_order *order, uint32_t timed,
                           struct ft_interleaving **ret_interleaving, struct ft_diag *diag)
{
    struct ft_interleaving *interleaving = calloc(1, sizeof *interleaving);
    if (!interleaving)
        return ft_fail_memory(diag, "the order of threads");
    interleaving->thread_count = order->thread_count;
    interleaving->timed = timed;
    interleaving->threads = calloc(order->thread_count + 1U, sizeof *interleaving->threads);
    interleaving->runs = calloc(ENTRIES_MAX, sizeof *interleaving->runs);
    interleaving->references = calloc(ENTRIES_MAX, sizeof *interleaving->references);
    interleaving->addresses = calloc(ENTRIES_MAX, sizeof *interleaving->addresses);
    interleaving->strides = calloc(ENTRIES_MAX, sizeof *interleaving->strides);
    if (!interleaving->threads || !interleaving->runs || !interleaving->references ||
        !interleaving->addresses || !interleaving->strides) {
        ft_interleaving_destroy(interleaving);
        return ft_fail_memory(diag, "the order of threads");
    }
    find_times(interleaving, order);
    for (uint32_t t = 0; t < order->thread_count; t++) {
        struct thread *thread = &interleaving->threads[t];
        thread->source = sources[t];
        thread->order = &order->threads[t];
        start_segment(interleaving, thread);
        find_next(interleaving, thread);
    }
    *ret_interleaving = interleaving;
    return FT_OK;
}

void ft_interleaving_destroy(struct ft_interleaving *interleaving)
{
    if (!interleaving)
        return;
    for (uint32_t t = 0; interleaving->threads && t < interleaving->thread_count; t++)
        ft_interleaved_thread_fini(&interleaving->threads[t].kept);
    free(interleaving->threads);
    free(interleaving->runs);
    free(interleaving->references);
    free(interleaving->addresses);
    free(interleaving->strides);
    free(interleaving);
}

/* ---- interruption ---- */

static int leave_thread(const struct thread *thread, struct ft_interleaved_thread *left,
                        struct ft_diag *diag)
{
    const bool is_inside = thread->run < thread->batch.run_count;
    *left = (struct ft_interleaved_thread){
        .segment = thread->segment,
        .taken = thread->taken,
        .iteration = is_inside ? thread->iteration : 0,
        .entry = is_inside ? thread->entry : 0,
        .has_read = thread->has_read,
    };
    return ft_interleaved_thread_add(left, &thread->batch, thread->run, diag);
}

int ft_interleaving_leave(const struct ft_interleaving *interleaving,
                          struct ft_interleaving_state *ret_state, struct ft_diag *diag)
{
    struct ft_interleaving_state state = {.current = interleaving->current,
                                          .granted = interleaving->granted};
    state.threads = calloc(interleaving->thread_count + 1U, sizeof *state.threads);
    int status = state.threads ? FT_OK : ft_fail_memory(diag, "the order of threads");
    while (!status && state.thread_count < interleaving->thread_count) {
        const uint32_t t = state.thread_count++;
        status = leave_thread(&interleaving->threads[t], &state.threads[t], diag);
    }
    if (status)
        ft_interleaving_state_fini(&state);
    else
        *ret_state = state;
    return status;
}

void ft_interleaving_state_fini(struct ft_interleaving_state *state)
{
    for (uint32_t t = 0; t < state->thread_count; t++)
        ft_interleaved_thread_fini(&state->threads[t]);
    free(state->threads);
    *state = (struct ft_interleaving_state){0};
}

/* Whether a thread can stand where it is said to. */
static bool resume_thread(struct ft_interleaving *interleaving, uint32_t number,
                          struct ft_interleaved_thread *kept)
{
    struct thread *thread = &interleaving->threads[number];
    for (size_t i = 0; i < kept->entry_count; i++)
        if (kept->references[i] >= thread->source->reference_count)
            return false;
    if (kept->segment > thread->order->count)
        return false;
    thread->kept = *kept;
    *kept = (struct ft_interleaved_thread){0};
    thread->batch = ft_interleaved_thread_batch(&thread->kept);
    thread->iteration = thread->kept.iteration;
    thread->entry = thread->kept.entry;
    thread->segment = thread->kept.segment;
    thread->ended = false;
    start_segment(interleaving, thread);
    if (thread->kept.taken > thread->length)
        return false;
    thread->taken = thread->kept.taken;
    find_next(interleaving, thread);
    return true;
}

int ft_interleaving_resume(struct ft_interleaving *interleaving,
                           struct ft_interleaving_state *state, struct ft_diag *diag)
{
    bool good = state->thread_count == interleaving->thread_count &&
                (state->granted == 0 || state->current < state->thread_count);
    for (uint32_t t = 0; good && t < state->thread_count; t++)
        good = resume_thread(interleaving, t, &state->threads[t]);
    if (good && state->granted) {
        const struct thread *current = &interleaving->threads[state->current];
        good = state->granted <= current->length - current->taken;
    }
    if (!good)
        return ft_fail(diag, FT_ERROR_DATA, "the saved order of threads is of another trace");
    interleaving->current = state->granted ? state->current : 0;
    interleaving->granted = state->granted;
    return FT_OK;
}
