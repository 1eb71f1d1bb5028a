/*
 * Open calls are kept in a stack, the innermost last. If a function jumped to another one (a tail
 * call), both have the same RSP and end with one return. The record of a return raises RSP above
 * that of the call; what follows has its result, or says that it was not seen.
 */
#include "formats/trace/library_calls.h"

#include <stdlib.h>
#include <string.h>

#include "formats/base/array.h"
#include "formats/trace/mpi_functions.h"

static const struct ft_library_function functions[] = {
    {"malloc", FT_LIBRARY_ALLOCATION, 1, FT_LIBRARY_POINTER},
    {"calloc", FT_LIBRARY_ALLOCATION, 2, FT_LIBRARY_POINTER},
    {"realloc", FT_LIBRARY_ALLOCATION, 2, FT_LIBRARY_POINTER},
    {"reallocarray", FT_LIBRARY_ALLOCATION, 3, FT_LIBRARY_POINTER},
    {"memalign", FT_LIBRARY_ALLOCATION, 2, FT_LIBRARY_POINTER},
    {"aligned_alloc", FT_LIBRARY_ALLOCATION, 2, FT_LIBRARY_POINTER},
    {"valloc", FT_LIBRARY_ALLOCATION, 1, FT_LIBRARY_POINTER},
    {"pvalloc", FT_LIBRARY_ALLOCATION, 1, FT_LIBRARY_POINTER},
    {"posix_memalign", FT_LIBRARY_ALLOCATION, 3, FT_LIBRARY_STORED_POINTER},
    {"free", FT_LIBRARY_ALLOCATION, 1, FT_LIBRARY_NO_RESULT},
    {"_Znwm", FT_LIBRARY_ALLOCATION, 1, FT_LIBRARY_POINTER},
    {"_Znam", FT_LIBRARY_ALLOCATION, 1, FT_LIBRARY_POINTER},
    {"_ZdlPv", FT_LIBRARY_ALLOCATION, 1, FT_LIBRARY_NO_RESULT},
    {"_ZdaPv", FT_LIBRARY_ALLOCATION, 1, FT_LIBRARY_NO_RESULT},
    {"_Znw*", FT_LIBRARY_ALLOCATION, 2, FT_LIBRARY_POINTER},   /* operator new */
    {"_Zna*", FT_LIBRARY_ALLOCATION, 2, FT_LIBRARY_POINTER},   /* operator new[] */
    {"_Zdl*", FT_LIBRARY_ALLOCATION, 2, FT_LIBRARY_NO_RESULT}, /* operator delete */
    {"_Zda*", FT_LIBRARY_ALLOCATION, 2, FT_LIBRARY_NO_RESULT},
};
static const struct ft_library_function mpi_function = {"MPI_*", FT_LIBRARY_MPI, 6,
                                                        FT_LIBRARY_STATUS};

const struct ft_library_function *ft_library_function_find(const char *name)
{
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
        size_t length = strlen(functions[i].name);
        bool is_prefix = functions[i].name[length - 1] == '*';
        if (is_prefix ? strncmp(name, functions[i].name, length - 1) == 0
                      : strcmp(name, functions[i].name) == 0)
            return &functions[i];
    }
    return ft_mpi_is_name(name) ? &mpi_function : NULL;
}

struct ft_library_tracker {
    const struct ft_trace *trace;
    ft_library_call_visitor *visit;
    void *context;
    const struct ft_event **by_number; /* [number of the function] */
    size_t number_count;
    struct ft_library_call *open;
    size_t open_count, open_capacity;
    struct handler {
        size_t open_count; /* calls outside of it */
        uint64_t outer_rsp, rsp;
    } * handlers; /* of signals, that are running */
    size_t handler_count, handler_capacity;
    uint64_t rsp; /* behind the last record */
};

int ft_library_tracker_create(const struct ft_trace *trace, ft_library_call_visitor *visit,
                              void *context, struct ft_library_tracker **ret_tracker,
                              struct ft_diag *diag)
{
    size_t events = ft_trace_event_count(trace);
    struct ft_library_tracker *tracker = calloc(1, sizeof *tracker);
    if (tracker)
        tracker->by_number = calloc(events + 1, sizeof(struct ft_event *));
    if (!tracker || !tracker->by_number) {
        ft_library_tracker_destroy(tracker);
        return ft_fail_memory(diag, "the calls of a trace");
    }
    tracker->trace = trace;
    tracker->visit = visit;
    tracker->context = context;
    tracker->number_count = events + 1;
    for (size_t i = 0; i < events; i++) {
        const struct ft_event *event = ft_trace_event(trace, i);
        if (event->kind == FT_EVENT_FUNCTION && event->a <= events && event->text)
            tracker->by_number[event->a] = event;
    }
    *ret_tracker = tracker;
    return FT_OK;
}

void ft_library_tracker_destroy(struct ft_library_tracker *tracker)
{
    if (!tracker)
        return;
    for (size_t i = 0; i < tracker->open_count; i++)
        free(tracker->open[i].details);
    free(tracker->by_number);
    free(tracker->open);
    free(tracker->handlers);
    free(tracker);
}

static void give(struct ft_library_tracker *tracker, size_t index, uint64_t position)
{
    struct ft_library_call *call = &tracker->open[index];
    call->end = position;
    tracker->visit(tracker->context, call);
    free(call->details);
    call->details = NULL;
}

/* Calls that are open in the innermost handler, or outside of all. */
static size_t base_of(const struct ft_library_tracker *tracker)
{
    return tracker->handler_count ? tracker->handlers[tracker->handler_count - 1].open_count : 0;
}

/* Gives the innermost calls, down to `count`, as they are. */
static void close_down_to(struct ft_library_tracker *tracker, size_t count, uint64_t position)
{
    while (tracker->open_count > count) {
        give(tracker, tracker->open_count - 1, position);
        tracker->open_count--;
    }
}

static void leave_handler(struct ft_library_tracker *tracker, uint64_t position)
{
    close_down_to(tracker, base_of(tracker), position);
    tracker->handler_count--;
}

/* Handlers that were left by a jump: on their own stack, if that lies higher, it cannot be told. */
static void leave_handlers(struct ft_library_tracker *tracker, uint64_t position)
{
    while (tracker->handler_count) {
        const struct handler *handler = &tracker->handlers[tracker->handler_count - 1];
        if (handler->rsp >= handler->outer_rsp || tracker->rsp < handler->outer_rsp)
            return;
        leave_handler(tracker, position);
    }
}

/* Calls whose frames are left already, and whose results were not seen. */
static void close_left(struct ft_library_tracker *tracker, uint64_t position)
{
    while (tracker->open_count > base_of(tracker) &&
           tracker->rsp > tracker->open[tracker->open_count - 1].rsp)
        close_down_to(tracker, tracker->open_count - 1, position);
}

static int begin_call(struct ft_library_tracker *tracker, const struct ft_record *record,
                      uint64_t rsp, uint64_t position, struct ft_diag *diag)
{
    uint64_t number = record->values[0] >> 3;
    const struct ft_event *event =
        number < tracker->number_count ? tracker->by_number[number] : NULL;
    struct ft_library_call call = {
        .name = event ? event->text : "unknown", .rsp = rsp, .begin = position};
    call.function = ft_library_function_find(call.name);
    for (size_t i = 1; i < record->value_count && i <= FT_LIBRARY_ARGUMENTS_MAX; i++)
        call.arguments[call.argument_count++] = record->values[i];
    if (!FT_RESERVE(tracker->open, tracker->open_capacity, tracker->open_count + 1))
        return ft_fail_memory(diag, "the calls of a trace");
    tracker->open[tracker->open_count++] = call;
    if (call.function && call.function->result == FT_LIBRARY_NO_RESULT)
        close_down_to(tracker, tracker->open_count - 1, position);
    return FT_OK;
}

/* Belongs to the innermost call. */
static int add_details(struct ft_library_tracker *tracker, const struct ft_record *record,
                       struct ft_diag *diag)
{
    struct ft_library_call *call = &tracker->open[tracker->open_count - 1];
    size_t count = (record->value_count - 1) / 2 * 2;
    if (!FT_RESERVE(call->details, call->detail_capacity, call->detail_count + count))
        return ft_fail_memory(diag, "the calls of a trace");
    if (count)
        memcpy(call->details + call->detail_count, record->values + 1,
               count * sizeof *call->details);
    call->detail_count += count;
    return FT_OK;
}

static void end_call(struct ft_library_tracker *tracker, uint64_t rsp, uint64_t result,
                     uint64_t position)
{
    size_t base = base_of(tracker);
    if (tracker->open_count == base)
        return;
    struct ft_library_call *inner = &tracker->open[tracker->open_count - 1];
    if (inner->rsp + 8 != rsp) { /* of something inside */
        inner->pointer = result;
        return;
    }
    while (tracker->open_count > base && tracker->open[tracker->open_count - 1].rsp + 8 == rsp) {
        struct ft_library_call *call = &tracker->open[tracker->open_count - 1];
        bool stores = call->function && call->function->result == FT_LIBRARY_STORED_POINTER;
        call->has_result = true;
        call->result = result;
        if (!stores || result != 0)
            call->pointer = 0;
        give(tracker, tracker->open_count - 1, position);
        tracker->open_count--;
    }
    if (tracker->open_count > base)
        tracker->open[tracker->open_count - 1].pointer = result;
}

static int note_event(struct ft_library_tracker *tracker, uint64_t sequence, uint64_t position,
                      struct ft_diag *diag)
{
    const struct ft_event *event = sequence - 1 < ft_trace_event_count(tracker->trace)
                                       ? ft_trace_event(tracker->trace, sequence - 1)
                                       : NULL;
    if (event && event->kind == FT_EVENT_SIGNAL) {
        if (!FT_RESERVE(tracker->handlers, tracker->handler_capacity, tracker->handler_count + 1))
            return ft_fail_memory(diag, "the calls of a trace");
        tracker->handlers[tracker->handler_count++] =
            (struct handler){tracker->open_count, tracker->rsp, UINT64_MAX};
    } else if (event && event->kind == FT_EVENT_SIGNAL_RETURN && tracker->handler_count) {
        leave_handler(tracker, position);
    }
    return FT_OK;
}

int ft_library_tracker_add(struct ft_library_tracker *tracker, const struct ft_record *record,
                           uint64_t rsp, uint64_t position, struct ft_diag *diag)
{
    leave_handlers(tracker, position);
    /* a buffer that ends right in front of a return's escape has the next one's timestamp before it
     */
    bool is_timestamp = !record->unit && record->escape == FT_ESCAPE_TIMESTAMP;
    bool is_return = !record->unit && record->escape == FT_ESCAPE_RETURN;
    if (tracker->open_count && !is_timestamp && !is_return)
        close_left(tracker, position);
    tracker->rsp = rsp;
    switch (record->unit ? 0 : record->escape) {
    case FT_ESCAPE_CALL:
        return begin_call(tracker, record, rsp, position, diag);
    case FT_ESCAPE_DETAIL:
        return tracker->open_count > base_of(tracker) ? add_details(tracker, record, diag) : FT_OK;
    case FT_ESCAPE_RETURN:
        end_call(tracker, rsp, record->values[0], position);
        return FT_OK;
    case FT_ESCAPE_STACK:
        if (tracker->handler_count &&
            tracker->handlers[tracker->handler_count - 1].rsp == UINT64_MAX)
            tracker->handlers[tracker->handler_count - 1].rsp = rsp;
        return FT_OK;
    case FT_ESCAPE_EVENT:
        return note_event(tracker, record->values[0], position, diag);
    default:
        return FT_OK;
    }
}

void ft_library_tracker_end(struct ft_library_tracker *tracker, uint64_t position)
{
    close_down_to(tracker, 0, position);
    tracker->handler_count = 0;
}
