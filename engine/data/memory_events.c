/*
 * One walk over the records of each thread. Calls come from the library tracker when they are over,
 * with numbers of the escapes that began and ended them; when a thread is done they are taken in
 * the order of their beginnings, and those that began inside another one are skipped. A block
 * that realloc moved is there from the call's beginning, and the old one up to its end: both are
 * touched meanwhile. Where there are several threads, what a call gives may have been another's
 * until the last timestamp inside the call (it waited for a lock): it is there from that on.
 */
#include "engine/data/memory_events.h"

#include <stdlib.h>
#include <string.h>

#include "formats/base/array.h"
#include "formats/expand/kernel_calls.h"
#include "formats/trace/library_calls.h"
#include "formats/trace/record_walk.h"
#include "formats/trace/trace_reader.h"

#define PAGE_BYTES        4096U
#define TRIM_ACCESSES_MAX 16U /* between mmap and munmap: those of returning from the one */

struct call {
    const char *name;
    uint64_t begin, end; /* numbers of escapes */
    uint64_t old, bytes, alignment, result;
    bool frees, allocates; /* `old`; `result`, `bytes` large */
};

/* Accesses before an escape, and before the last timestamp behind which it stands. */
struct position {
    uint64_t accesses, stamped;
};

struct reading {
    const struct ft_trace *trace;
    struct ft_library_tracker *tracker;
    struct ft_thread_memory *thread;
    struct position *positions; /* [escape] */
    size_t escape_count, escape_capacity;
    struct call *calls;
    size_t call_count, call_capacity;
    uint64_t accesses, stamped;
    bool has_calls, has_threads, failed;
};

void ft_memory_events_fini(struct ft_memory_events *events)
{
    for (uint32_t t = 0; events->threads && t < events->thread_count; t++)
        free(events->threads[t].events);
    free(events->threads);
    *events = (struct ft_memory_events){0};
}

static void add_event(struct reading *reading, struct ft_memory_event event)
{
    struct ft_thread_memory *thread = reading->thread;
    if (FT_RESERVE(thread->events, thread->capacity, thread->count + 1))
        thread->events[thread->count++] = event;
    else
        reading->failed = true;
}

/* ---- calls of allocation functions ---- */

/* How many bytes a call asked for. */
static uint64_t bytes_of(const struct ft_library_call *call)
{
    const uint64_t *arguments = call->arguments;
    const char *name = call->name;
    uint64_t bytes;
    if (strcmp(name, "calloc") == 0 || strcmp(name, "reallocarray") == 0) {
        unsigned first = name[0] == 'r';
        bool overflows = __builtin_mul_overflow(arguments[first], arguments[first + 1], &bytes);
        return overflows ? 0 : bytes;
    }
    bool second = strcmp(name, "realloc") == 0 || strcmp(name, "memalign") == 0 ||
                  strcmp(name, "aligned_alloc") == 0;
    return strcmp(name, "posix_memalign") == 0 ? arguments[2] : arguments[second];
}

static uint64_t alignment_of(const struct ft_library_call *call)
{
    if (strcmp(call->name, "posix_memalign") == 0)
        return call->arguments[1];
    if (strcmp(call->name, "memalign") == 0 || strcmp(call->name, "aligned_alloc") == 0)
        return call->arguments[0];
    return strcmp(call->name, "valloc") == 0 || strcmp(call->name, "pvalloc") == 0 ? PAGE_BYTES : 0;
}

static void note_call(void *context, const struct ft_library_call *call)
{
    struct reading *reading = context;
    const struct ft_library_function *function = call->function;
    if (!function || function->class != FT_LIBRARY_ALLOCATION)
        return;
    bool renews = strncmp(call->name, "realloc", 7) == 0;
    bool stores = function->result == FT_LIBRARY_STORED_POINTER;
    struct call noted = {
        .name = call->name,
        .begin = call->begin,
        .end = call->end,
        .old = call->arguments[0],
        .bytes = bytes_of(call),
        .alignment = alignment_of(call),
        .result = stores ? call->pointer : call->result,
    };
    noted.allocates = function->result != FT_LIBRARY_NO_RESULT && call->has_result &&
                      noted.result != 0 && noted.bytes != 0;
    noted.frees = function->result == FT_LIBRARY_NO_RESULT ||
                  (renews && call->has_result && (call->result != 0 || noted.bytes == 0));
    if (FT_RESERVE(reading->calls, reading->call_capacity, reading->call_count + 1))
        reading->calls[reading->call_count++] = noted;
    else
        reading->failed = true;
}

static int compare_calls(const void *left, const void *right)
{
    const struct call *a = left, *b = right;
    return (a->begin > b->begin) - (a->begin < b->begin);
}

static void take_call(struct reading *reading, const struct call *call)
{
    const struct position *end = &reading->positions[call->end];
    uint64_t begin = reading->positions[call->begin].accesses, given = begin;
    bool moves = call->frees && call->allocates && call->result != call->old;
    struct ft_memory_event freed = {
        .kind = FT_MEMORY_FREED, .position = moves ? end->accesses : begin, .address = call->old};
    if (reading->has_threads && (moves || !call->frees) && end->stamped > begin)
        given = end->stamped;
    if (call->frees && call->old && !moves)
        add_event(reading, freed);
    if (call->allocates && given > begin)
        add_event(reading, (struct ft_memory_event){
                               .kind = FT_MEMORY_ASKED, .position = begin, .function = call->name});
    if (call->allocates)
        add_event(reading, (struct ft_memory_event){.kind = FT_MEMORY_ALLOCATED,
                                                    .position = given,
                                                    .address = call->result,
                                                    .bytes = call->bytes,
                                                    .alignment = call->alignment,
                                                    .function = call->name});
    if (moves && call->old)
        add_event(reading, freed);
}

/* The thread's calls, without those inside others. */
static void take_calls(struct reading *reading)
{
    uint64_t outer_end = 0;
    bool is_first = true;
    if (reading->call_count)
        qsort(reading->calls, reading->call_count, sizeof *reading->calls, compare_calls);
    for (size_t i = 0; i < reading->call_count && !reading->failed; i++) {
        const struct call *call = &reading->calls[i];
        if (!is_first && call->begin < outer_end)
            continue;
        take_call(reading, call);
        outer_end = call->end;
        is_first = false;
    }
    reading->call_count = 0;
}

/* ---- system calls ---- */

static void take_kernel_call(struct reading *reading, const uint64_t values[4])
{
    const struct ft_kernel_call *call = ft_kernel_call_find(values[0]);
    struct ft_memory_event event = {
        .position = reading->accesses, .address = values[3], .bytes = values[2]};
    if (!call || call->extent != FT_KERNEL_NOTHING || (int64_t)values[3] < 0)
        return;
    if (strcmp(call->name, "mmap") == 0) {
        event.kind = FT_MEMORY_MAPPED;
        event.from = values[1];
    } else if (strcmp(call->name, "munmap") == 0) {
        event.kind = FT_MEMORY_UNMAPPED;
        event.address = values[1];
    } else if (strcmp(call->name, "mremap") == 0) {
        event.kind = FT_MEMORY_MOVED;
        event.from = values[1];
    } else if (strcmp(call->name, "brk") == 0) {
        event.kind = FT_MEMORY_BREAK;
    } else {
        return;
    }
    add_event(reading, event);
}

/* ---- records ---- */

static int take_record(void *context, const struct ft_walked_record *walked, struct ft_diag *diag)
{
    struct reading *reading = context;
    const struct ft_record *record = walked->record;
    int status = FT_OK;
    if (reading->accesses == 0 && !reading->thread->first_rsp)
        reading->thread->first_rsp = walked->before->rsp;
    if (record->unit == 0 && record->escape == FT_ESCAPE_KERNEL)
        take_kernel_call(reading, record->values);
    if (record->unit == 0 && record->escape == FT_ESCAPE_TIMESTAMP)
        reading->stamped = reading->accesses;
    if (reading->has_calls) {
        bool ends = record->unit == 0 &&
                    (record->escape == FT_ESCAPE_CALL || record->escape == FT_ESCAPE_RETURN);
        if (ends) {
            if (!FT_RESERVE(reading->positions, reading->escape_capacity,
                            reading->escape_count + 2))
                return ft_fail_memory(diag, "the calls of a trace");
            reading->positions[reading->escape_count++] =
                (struct position){reading->accesses, reading->stamped};
        }
        size_t number = reading->escape_count ? reading->escape_count - 1 : 0;
        status = ft_library_tracker_add(reading->tracker, record, walked->after->rsp, number, diag);
    }
    reading->accesses += walked->accesses;
    return status == FT_OK && reading->failed ? ft_fail_memory(diag, "the calls of a trace")
                                              : status;
}

/* malloc maps an arena twice as large as it needs and unmaps both ends at once. Another thread may
 * get what was freed so before the next timestamp tells which came first: here the mapping is what
 * is left of it, from the beginning. */
static void trim_mappings(struct ft_thread_memory *thread)
{
    size_t kept = 0;
    for (size_t i = 0; i < thread->count; i++) {
        struct ft_memory_event *event = &thread->events[i];
        struct ft_memory_event *mapping = kept ? &thread->events[kept - 1] : NULL;
        uint64_t end = mapping ? mapping->address + mapping->bytes : 0;
        bool trims = mapping && mapping->kind == FT_MEMORY_MAPPED &&
                     event->kind == FT_MEMORY_UNMAPPED &&
                     event->position - mapping->position <= TRIM_ACCESSES_MAX &&
                     event->address >= mapping->address && event->bytes < mapping->bytes;
        if (trims && event->address == mapping->address) {
            mapping->address += event->bytes;
            mapping->bytes -= event->bytes;
        } else if (trims && event->address + event->bytes == end) {
            mapping->bytes -= event->bytes;
        } else {
            thread->events[kept++] = *event;
        }
    }
    thread->count = kept;
}

/* By place; at one place in the order in which they were added. */
static int sort_events(struct ft_thread_memory *thread, struct ft_diag *diag)
{
    struct ft_memory_event *sorted = malloc((thread->count + 1) * sizeof *sorted), *from, *to;
    if (!sorted)
        return ft_fail_memory(diag, "the calls of a trace");
    from = thread->events;
    to = sorted;
    for (size_t width = 1; width < thread->count; width *= 2) {
        for (size_t low = 0; low < thread->count; low += 2 * width) {
            size_t middle = low + width < thread->count ? low + width : thread->count;
            size_t high = middle + width < thread->count ? middle + width : thread->count;
            for (size_t i = low, j = middle, k = low; k < high; k++)
                to[k] = i < middle && (j == high || from[i].position <= from[j].position)
                            ? from[i++]
                            : from[j++];
        }
        struct ft_memory_event *done = to;
        to = from;
        from = done;
    }
    if (from == sorted) {
        thread->capacity = thread->count + 1;
        free(thread->events);
        thread->events = sorted;
    } else {
        free(sorted);
    }
    return FT_OK;
}

static int read_thread(struct reading *reading, struct ft_record_walk *walk, uint32_t thread,
                       struct ft_diag *diag)
{
    int status = FT_OK;
    reading->accesses = reading->stamped = 0;
    reading->escape_count = 0;
    for (size_t i = 0; status == FT_OK && i < ft_trace_log_count(reading->trace, thread); i++)
        status = ft_record_walk_chunk(walk, thread, i, take_record, reading, diag);
    if (status)
        return status;
    if (reading->has_calls) {
        ft_library_tracker_end(reading->tracker,
                               reading->escape_count ? reading->escape_count - 1 : 0);
        take_calls(reading);
    }
    status = reading->failed ? ft_fail_memory(diag, "the calls of a trace")
                             : sort_events(reading->thread, diag);
    if (status == FT_OK)
        trim_mappings(reading->thread);
    return status;
}

bool ft_trace_has_allocations(const struct ft_trace *trace)
{
    for (size_t i = 0; i < ft_trace_event_count(trace); i++) {
        const struct ft_event *event = ft_trace_event(trace, i);
        if (event->kind == FT_EVENT_FUNCTION && event->c == FT_LIBRARY_ALLOCATION)
            return true;
    }
    return false;
}

static int read_threads(struct reading *reading, struct ft_memory_events *events,
                        struct ft_diag *diag)
{
    struct ft_record_walk *walk;
    int status = ft_record_walk_create(reading->trace, &walk, diag);
    if (status)
        return status;
    if (reading->has_calls)
        status =
            ft_library_tracker_create(reading->trace, note_call, reading, &reading->tracker, diag);
    for (uint32_t t = 0; status == FT_OK && t < events->thread_count; t++) {
        reading->thread = &events->threads[t];
        status = read_thread(reading, walk, t, diag);
    }
    ft_library_tracker_destroy(reading->tracker);
    ft_record_walk_destroy(walk);
    return status;
}

int ft_memory_events_read(struct ft_trace *trace, struct ft_memory_events *ret_events,
                          struct ft_diag *diag)
{
    struct ft_memory_events events = {.thread_count = ft_trace_thread_count(trace),
                                      .has_calls = ft_trace_has_allocations(trace)};
    struct reading reading = {
        .trace = trace, .has_calls = events.has_calls, .has_threads = events.thread_count > 1};
    events.threads = calloc(events.thread_count + (size_t)1, sizeof *events.threads);
    int status = events.threads ? read_threads(&reading, &events, diag)
                                : ft_fail_memory(diag, "the calls of a trace");
    free(reading.positions);
    free(reading.calls);
    if (status) {
        ft_memory_events_fini(&events);
        return status;
    }
    *ret_events = events;
    return FT_OK;
}
