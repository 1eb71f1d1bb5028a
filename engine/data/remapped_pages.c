/*
 * Only pages that are mapped more than once are looked at: mostly there are none, and the trace is
 * not read. A run is taken from one crossing of a page to the next: in between, its references stay
 * in pages that they have touched.
 */
#include "engine/data/remapped_pages.h"

#include <stdlib.h>

#include "engine/data/mapped_again.h"
#include "engine/streams/all_threads.h"
#include "engine/streams/run_batch.h"

/* How far a thread has come. */
struct place {
    uint64_t accesses;
    size_t next_event;
};

struct counting {
    const struct ft_memory_events *events;
    const struct ft_run_source *source;
    const struct ft_mapped_again *pages;
    struct place *places;   /* [thread] */
    uint64_t program_break; /* 0: not known */
    uint64_t *touches;      /* [reference] */
};

/* ---- events ---- */

static void apply(struct counting *counting, const struct ft_memory_event *event)
{
    const struct ft_mapped_again *pages = counting->pages;
    if (event->kind == FT_MEMORY_MAPPED)
        ft_mapped_again_give_back(pages, ft_page_of(event->address),
                                  ft_page_behind(event->address + event->bytes));
    if (event->kind != FT_MEMORY_BREAK)
        return;
    if (event->address < counting->program_break)
        ft_mapped_again_give_back(pages, ft_page_behind(event->address),
                                  ft_page_behind(counting->program_break));
    counting->program_break = event->address;
}

/* Applies what happened before the thread's next access; returns the accesses up to what comes
 * next. */
static uint64_t catch_up(struct counting *counting, uint32_t thread)
{
    const struct ft_thread_memory *memory = &counting->events->threads[thread];
    struct place *place = &counting->places[thread];
    while (place->next_event < memory->count &&
           memory->events[place->next_event].position <= place->accesses)
        apply(counting, &memory->events[place->next_event++]);
    return place->next_event < memory->count
               ? memory->events[place->next_event].position - place->accesses
               : UINT64_MAX;
}

/* ---- accesses ---- */

static void touch(struct counting *counting, uint32_t reference, uint64_t address)
{
    const struct ft_reference *from = &counting->source->references[reference];
    if (from->kind == FT_FETCH || from->size_bytes == 0)
        return;
    const uint64_t last = ft_page_of(address + from->size_bytes - 1);
    for (uint64_t page = ft_page_of(address); page <= last; page++) {
        uint8_t *state = ft_mapped_again_state(counting->pages, page);
        if (!state)
            continue;
        counting->touches[reference] += *state == FT_PAGE_GIVEN_BACK;
        *state = FT_PAGE_TOUCHED;
    }
}

/* Iterations until a byte that moves by `stride` is in another page. */
static uint64_t steps_in_page(uint64_t address, int64_t stride)
{
    const uint64_t offset = address & (FT_PAGE_BYTES - 1);
    if (stride == 0)
        return UINT64_MAX;
    return stride > 0 ? (FT_PAGE_BYTES - 1 - offset) / (uint64_t)stride + 1
                      : offset / -(uint64_t)stride + 1;
}

/* Touches the body's references at an iteration; returns how many iterations from it on touch the
 * same pages. */
static uint64_t touch_body(struct counting *counting, const struct ft_run_batch *batch,
                           const struct ft_run *run, uint64_t iteration)
{
    uint64_t steps = UINT64_MAX;
    for (uint32_t j = 0; j < run->reference_count; j++) {
        const uint32_t reference = batch->references[run->first + j];
        const uint32_t bytes = counting->source->references[reference].size_bytes;
        const int64_t stride = batch->strides[run->first + j];
        const uint64_t address = batch->addresses[run->first + j] + iteration * (uint64_t)stride;
        touch(counting, reference, address);
        const uint64_t first = steps_in_page(address, stride);
        const uint64_t last = steps_in_page(address + bytes - (bytes > 0), stride);
        steps = first < steps ? first : steps;
        steps = last < steps ? last : steps;
    }
    return steps;
}

/* Whether a run may touch pages that are mapped again. */
static bool may_touch(const struct counting *counting, const struct ft_run_batch *batch,
                      const struct ft_run *run)
{
    for (uint32_t j = 0; j < run->reference_count; j++) {
        const size_t at = run->first + j;
        const uint64_t bytes = counting->source->references[batch->references[at]].size_bytes;
        const uint64_t begin = batch->addresses[at];
        const uint64_t end = begin + (run->iteration_count - 1) * (uint64_t)batch->strides[at];
        const uint64_t low = batch->strides[at] < 0 ? end : begin;
        const uint64_t high = batch->strides[at] < 0 ? begin : end;
        const bool wraps = low > high + bytes; /* around the end of the address space */
        if (wraps ||
            ft_mapped_again_has(counting->pages, ft_page_of(low), ft_page_of(high + bytes)))
            return true;
    }
    return false;
}

static uint64_t accesses_of(const struct counting *counting, const struct ft_run_batch *batch,
                            const struct ft_run *run)
{
    uint64_t accesses = 0;
    for (uint32_t j = 0; j < run->reference_count; j++)
        accesses +=
            counting->source->references[batch->references[run->first + j]].kind != FT_FETCH;
    return accesses;
}

static void take_iterations(struct counting *counting, const struct ft_run_batch *batch,
                            const struct ft_run *run)
{
    struct place *place = &counting->places[batch->thread];
    const uint64_t accesses = accesses_of(counting, batch, run);
    const bool is_near = may_touch(counting, batch, run);
    for (uint64_t i = 0; i < run->iteration_count;) {
        const uint64_t until = catch_up(counting, batch->thread);
        uint64_t steps = is_near ? touch_body(counting, batch, run, i) : UINT64_MAX;
        if (accesses > 0 && steps > until / accesses)
            steps = until / accesses > 0 ? until / accesses : 1;
        if (steps > run->iteration_count - i)
            steps = run->iteration_count - i;
        place->accesses += steps * accesses;
        i += steps;
    }
}

/* A run of one iteration may stand for many records, with events between them. */
static void take_entries(struct counting *counting, const struct ft_run_batch *batch,
                         const struct ft_run *run)
{
    struct place *place = &counting->places[batch->thread];
    uint64_t until = catch_up(counting, batch->thread);
    for (uint32_t j = 0; j < run->reference_count; j++) {
        const uint32_t reference = batch->references[run->first + j];
        if (until == 0)
            until = catch_up(counting, batch->thread);
        touch(counting, reference, batch->addresses[run->first + j]);
        const bool counts = counting->source->references[reference].kind != FT_FETCH;
        place->accesses += counts;
        until -= counts;
    }
}

static int take_all(struct counting *counting, struct ft_run_source *source, struct ft_diag *diag)
{
    struct ft_run_batch batch = {.run_count = 1};
    while (batch.run_count > 0) {
        FT_TRY(source->next(source, &batch, diag));
        FT_TRY(ft_run_batch_check(source, &batch, diag));
        if (batch.thread >= counting->events->thread_count)
            return ft_fail(diag, FT_ERROR_DATA, "a run of an unknown thread");
        for (size_t r = 0; r < batch.run_count; r++) {
            const struct ft_run *run = &batch.runs[r];
            if (run->iteration_count == 1)
                take_entries(counting, &batch, run);
            else if (run->reference_count > 0 && run->iteration_count > 0)
                take_iterations(counting, &batch, run);
        }
    }
    return FT_OK;
}

/* pages: of the events. */
static int count(const struct ft_memory_events *events, const struct ft_mapped_again *pages,
                 struct ft_run_source *source, uint64_t *touches, struct ft_diag *diag)
{
    struct counting counting = {
        .events = events, .source = source, .pages = pages, .touches = touches};
    counting.places = calloc(events->thread_count + (size_t)1, sizeof *counting.places);
    int status = counting.places ? take_all(&counting, source, diag)
                                 : ft_fail_memory(diag, "the pages of a program");
    free(counting.places);
    return status;
}

int ft_remapped_pages_count(const struct ft_memory_events *events, struct ft_run_source *source,
                            uint64_t *touches, struct ft_diag *diag)
{
    struct ft_mapped_again pages;
    int status = ft_mapped_again_init(events, &pages, diag);
    if (!status)
        status = count(events, &pages, source, touches, diag);
    ft_mapped_again_fini(&pages);
    return status;
}

/* ---- of a trace ---- */

/* Fetches, if the scopes have them, are their last references. */
static int add_by_scope(struct ft_trace *trace, const struct ft_memory_events *events,
                        const struct ft_mapped_again *pages, struct ft_scopes *scopes,
                        struct ft_diag *diag)
{
    struct ft_run_source *source;
    FT_TRY(ft_all_threads_runs(trace, FT_RUN_ACCESSES, NULL, &source, diag));
    uint64_t *touches = calloc(source->reference_count + (size_t)1, sizeof *touches);
    scopes->remapped_pages = calloc(scopes->scope_count + 1, sizeof *scopes->remapped_pages);
    int status = touches && scopes->remapped_pages ? count(events, pages, source, touches, diag)
                                                   : ft_fail_memory(diag, "the pages of a program");
    for (uint32_t r = 0; !status && r < source->reference_count; r++)
        scopes->remapped_pages[scopes->references[r].scope] += touches[r];
    source->destroy(source);
    free(touches);
    return status;
}

int ft_remapped_pages_add(struct ft_trace *trace, const struct ft_memory_events *events,
                          struct ft_scopes *scopes, struct ft_diag *diag)
{
    struct ft_mapped_again pages;
    int status = ft_mapped_again_init(events, &pages, diag);
    if (!status && pages.count > 0)
        status = add_by_scope(trace, events, &pages, scopes, diag);
    ft_mapped_again_fini(&pages);
    return status;
}
