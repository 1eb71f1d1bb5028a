/*
 * Requests are the program's handles, which libraries use again, and of which MPICH gives the same
 * one to all messages that are complete at once: a handle stands for any of those that were started
 * with it and are not complete. Those of persistent requests stay, and start a message with each
 * start.
 *
 * In order: reading a trace; details; messages.
 */
#include "formats/trace/mpi_timeline.h"

#include <stdlib.h>
#include <string.h>

#include "formats/base/array.h"
#include "formats/expand/kernel_calls.h"
#include "formats/trace/library_calls.h"
#include "formats/trace/record_walk.h"
#include "formats/trace/trace_reader.h"

/* ---- reading ---- */

struct reader {
    struct ft_mpi_timeline *timeline;
    struct ft_library_tracker *tracker;
    uint32_t thread;
    uint64_t instructions; /* of the thread, before the record at hand */
    bool is_out_of_memory;
};

static void add_call(void *context, const struct ft_library_call *call)
{
    struct reader *reader = context;
    struct ft_mpi_timeline *timeline = reader->timeline;
    if (!call->function || call->function->class != FT_LIBRARY_MPI || reader->is_out_of_memory)
        return;
    if (!FT_RESERVE(timeline->calls, timeline->capacity, timeline->count + 1) ||
        !FT_RESERVE(timeline->details, timeline->detail_capacity,
                    timeline->detail_count + call->detail_count + 1)) {
        reader->is_out_of_memory = true;
        return;
    }
    timeline->calls[timeline->count++] =
        (struct ft_mpi_call){.name = call->name + (*call->name == 'P'),
                             .function = ft_mpi_function_find(call->name),
                             .thread = reader->thread,
                             .has_returned = call->has_result,
                             .result = (int32_t)call->result,
                             .instructions = call->begin,
                             .first_detail = timeline->detail_count,
                             .detail_count = call->detail_count};
    if (call->detail_count)
        memcpy(timeline->details + timeline->detail_count, call->details,
               call->detail_count * sizeof *timeline->details);
    timeline->detail_count += call->detail_count;
}

/* Of those calls that move bytes of files. */
static bool is_file_call(const struct ft_kernel_call *call)
{
    static const char *const names[] = {"read",  "readv",  "pread64",  "preadv",  "preadv2",
                                        "write", "writev", "pwrite64", "pwritev", "pwritev2"};
    for (size_t i = 0; call && i < sizeof names / sizeof *names; i++)
        if (strcmp(call->name, names[i]) == 0)
            return true;
    return false;
}

/* The buffers of a vector, which have a record each, are one access. */
static void add_access(struct reader *reader, const struct ft_record *record)
{
    struct ft_mpi_timeline *timeline = reader->timeline;
    const struct ft_kernel_call *call = ft_kernel_call_find(record->values[0]);
    if (!is_file_call(call))
        return;
    const struct ft_file_access access = {
        .thread = reader->thread,
        .writes = call->direction == FT_KERNEL_READS,
        .bytes = ft_kernel_call_bytes(call, record->values[2], record->values[3]),
        .instructions = reader->instructions};
    struct ft_file_access *last =
        timeline->access_count ? &timeline->accesses[timeline->access_count - 1] : NULL;
    if (last && last->thread == access.thread && last->instructions == access.instructions &&
        last->writes == access.writes) {
        last->bytes += access.bytes;
        return;
    }
    reader->is_out_of_memory |=
        !FT_RESERVE(timeline->accesses, timeline->access_capacity, timeline->access_count + 1) ||
        !timeline->accesses;
    if (!reader->is_out_of_memory)
        timeline->accesses[timeline->access_count++] = access;
}

static int visit_record(void *context, const struct ft_walked_record *walked, struct ft_diag *diag)
{
    struct reader *reader = context;
    reader->instructions += walked->instructions;
    if (walked->record->unit == 0 && walked->record->escape == FT_ESCAPE_KERNEL)
        add_access(reader, walked->record);
    return ft_library_tracker_add(reader->tracker, walked->record, walked->after->rsp,
                                  reader->instructions, diag);
}

static int read_threads(struct ft_trace *trace, struct reader *reader, struct ft_record_walk *walk,
                        struct ft_diag *diag)
{
    int status = FT_OK;
    for (uint32_t t = 0; t < ft_trace_thread_count(trace) && status == FT_OK; t++) {
        const size_t calls_before = reader->timeline->count;
        reader->thread = t;
        reader->instructions = 0;
        for (size_t i = 0; i < ft_trace_log_count(trace, t) && status == FT_OK; i++)
            status = ft_record_walk_chunk(walk, t, i, visit_record, reader, diag);
        ft_library_tracker_end(reader->tracker, reader->instructions);
        reader->timeline->instructions += reader->instructions;
        if (reader->timeline->count > calls_before)
            reader->timeline->caller_instructions = reader->instructions;
    }
    return status;
}

/* What a call of MPI reads and writes is part of it: nothing that runs inside is recorded, so it is
 * where the call begins. Before a call there is at least the instruction that calls. */
static void drop_inside(struct ft_mpi_timeline *timeline)
{
    size_t kept = 0, call = 0;
    for (size_t i = 0; i < timeline->access_count; i++) {
        const struct ft_file_access *access = &timeline->accesses[i];
        while (call < timeline->count &&
               (timeline->calls[call].thread < access->thread ||
                (timeline->calls[call].thread == access->thread &&
                 timeline->calls[call].instructions < access->instructions)))
            call++;
        const bool is_inside = call < timeline->count &&
                               timeline->calls[call].thread == access->thread &&
                               timeline->calls[call].instructions == access->instructions;
        if (!is_inside)
            timeline->accesses[kept++] = *access;
    }
    timeline->access_count = kept;
}

int ft_mpi_timeline_read(struct ft_trace *trace, struct ft_mpi_timeline *ret_timeline,
                         struct ft_diag *diag)
{
    struct ft_mpi_timeline timeline = {0};
    struct reader reader = {.timeline = &timeline};
    struct ft_record_walk *walk = NULL;
    int status = ft_record_walk_create(trace, &walk, diag);
    if (status == FT_OK)
        status = ft_library_tracker_create(trace, add_call, &reader, &reader.tracker, diag);
    if (status == FT_OK)
        status = read_threads(trace, &reader, walk, diag);
    if (status == FT_OK && reader.is_out_of_memory)
        status = ft_fail_memory(diag, "the MPI calls of a trace");
    drop_inside(&timeline);
    ft_library_tracker_destroy(reader.tracker);
    ft_record_walk_destroy(walk);
    if (status < 0)
        ft_mpi_timeline_fini(&timeline);
    else
        *ret_timeline = timeline;
    return status;
}

void ft_mpi_timeline_fini(struct ft_mpi_timeline *timeline)
{
    free(timeline->calls);
    free(timeline->details);
    free(timeline->accesses);
    *timeline = (struct ft_mpi_timeline){0};
}

/* ---- details ---- */

bool ft_mpi_detail_find(const uint64_t *details, size_t count, uint64_t key, size_t index,
                        uint64_t *ret_value)
{
    for (size_t i = 0; i + 1 < count; i += 2)
        if (details[i] == key && index-- == 0) {
            *ret_value = details[i + 1];
            return true;
        }
    return false;
}

bool ft_mpi_call_detail(const struct ft_mpi_timeline *timeline, const struct ft_mpi_call *call,
                        enum ft_mpi_key key, size_t index, uint64_t *ret_value)
{
    return ft_mpi_detail_find(timeline->details + call->first_detail, call->detail_count, key,
                              index, ret_value);
}

bool ft_mpi_call_is_init(const struct ft_mpi_call *call)
{
    return strcmp(call->name, "MPI_Init") == 0 || strcmp(call->name, "MPI_Init_thread") == 0;
}

static uint64_t detail_or(const struct ft_mpi_timeline *timeline, const struct ft_mpi_call *call,
                          enum ft_mpi_key key, uint64_t otherwise)
{
    uint64_t value;
    return ft_mpi_call_detail(timeline, call, key, 0, &value) ? value : otherwise;
}

bool ft_mpi_call_file_access(const struct ft_mpi_timeline *timeline, const struct ft_mpi_call *call,
                             struct ft_file_access *ret_access)
{
    struct ft_file_access access = {.thread = call->thread, .instructions = call->instructions};
    if (!call->function || call->function->class != FT_MPI_FILE || !call->has_returned)
        return false;
    access.writes = ft_mpi_call_detail(timeline, call, FT_MPI_KEY_SENT_BYTES, 0, &access.bytes);
    if (!access.writes &&
        !ft_mpi_call_detail(timeline, call, FT_MPI_KEY_RECEIVED_BYTES, 0, &access.bytes))
        return false;
    ft_mpi_call_detail(timeline, call, FT_MPI_KEY_MATCHED_BYTES, 0, &access.bytes);
    *ret_access = access;
    return true;
}

/* ---- messages ---- */

struct request {
    uint64_t handle;
    struct ft_mpi_message message; /* that it starts, or has started */
    bool is_persistent;
    size_t started; /* index of that message; SIZE_MAX: none is under way */
};

struct matching {
    const struct ft_mpi_timeline *timeline;
    struct ft_mpi_message *messages;
    size_t message_count, message_capacity;
    struct request *requests;
    size_t request_count, request_capacity;
};

static struct ft_mpi_message message_of(const struct ft_mpi_timeline *timeline, size_t index,
                                        bool is_sent)
{
    const struct ft_mpi_call *call = &timeline->calls[index];
    struct ft_mpi_message message = {.call = index, .started = index, .is_sent = is_sent};
    message.communicator = detail_or(timeline, call, FT_MPI_KEY_COMMUNICATOR, 0);
    message.peer =
        detail_or(timeline, call, is_sent ? FT_MPI_KEY_DESTINATION : FT_MPI_KEY_SOURCE, FT_MPI_ANY);
    message.tag =
        detail_or(timeline, call, is_sent ? FT_MPI_KEY_SENT_TAG : FT_MPI_KEY_RECEIVED_TAG, 0);
    message.has_bytes = ft_mpi_call_detail(
        timeline, call, is_sent ? FT_MPI_KEY_SENT_BYTES : FT_MPI_KEY_RECEIVED_BYTES, 0,
        &message.bytes);
    return message;
}

/* The status number `index` of a call says what came. */
static void match(const struct ft_mpi_timeline *timeline, const struct ft_mpi_call *call,
                  size_t index, struct ft_mpi_message *message)
{
    message->is_complete = true;
    message->completed = (size_t)(call - timeline->calls);
    if (message->is_sent ||
        !ft_mpi_call_detail(timeline, call, FT_MPI_KEY_MATCHED_SOURCE, index, &message->peer))
        return;
    ft_mpi_call_detail(timeline, call, FT_MPI_KEY_MATCHED_TAG, index, &message->tag);
    message->has_bytes =
        ft_mpi_call_detail(timeline, call, FT_MPI_KEY_MATCHED_BYTES, index, &message->bytes);
}

static bool add_message(struct matching *matching, const struct ft_mpi_message *message)
{
    if (!FT_RESERVE(matching->messages, matching->message_capacity, matching->message_count + 1))
        return false;
    matching->messages[matching->message_count++] = *message;
    return true;
}

static struct request *find_request(struct matching *matching, uint64_t handle)
{
    for (size_t i = matching->request_count; i-- > 0;)
        if (matching->requests[i].handle == handle)
            return &matching->requests[i];
    return NULL;
}

static bool is_persistent(const struct ft_mpi_function *function)
{
    const char *end = strstr(function->name, "_init");
    return end && end[5] == 0;
}

/* A call that leaves a request behind. */
static bool add_request(struct matching *matching, size_t index, uint64_t handle, bool is_sent)
{
    const struct ft_mpi_function *function = matching->timeline->calls[index].function;
    struct request *request = find_request(matching, handle);
    if (!request || request->started != SIZE_MAX) {
        if (!FT_RESERVE(matching->requests, matching->request_capacity,
                        matching->request_count + 1))
            return false;
        request = &matching->requests[matching->request_count++];
    }
    *request = (struct request){.handle = handle,
                                .message = message_of(matching->timeline, index, is_sent),
                                .is_persistent = is_persistent(function),
                                .started = SIZE_MAX};
    if (request->is_persistent)
        return true;
    request->started = matching->message_count;
    return add_message(matching, &request->message);
}

static bool start_persistent(struct matching *matching, size_t index)
{
    const struct ft_mpi_call *call = &matching->timeline->calls[index];
    uint64_t handle;
    for (size_t i = 0; ft_mpi_call_detail(matching->timeline, call, FT_MPI_KEY_REQUEST, i, &handle);
         i++) {
        struct request *request = find_request(matching, handle);
        if (!request || !request->is_persistent)
            continue;
        request->started = matching->message_count;
        request->message.started = index;
        if (!add_message(matching, &request->message))
            return false;
    }
    return true;
}

/* `status`: number of its status among those of the call. */
static void complete(struct matching *matching, const struct ft_mpi_call *call, uint64_t handle,
                     size_t status)
{
    struct request *request = find_request(matching, handle);
    if (!request || request->started == SIZE_MAX)
        return;
    match(matching->timeline, call, status, &matching->messages[request->started]);
    request->started = SIZE_MAX;
    if (!request->is_persistent)
        *request = matching->requests[--matching->request_count];
}

static void complete_all(struct matching *matching, const struct ft_mpi_call *call)
{
    const struct ft_mpi_timeline *timeline = matching->timeline;
    uint64_t position, handle;
    if (ft_mpi_call_detail(timeline, call, FT_MPI_KEY_ALL_DONE, 0, &position)) {
        for (size_t i = 0; ft_mpi_call_detail(timeline, call, FT_MPI_KEY_REQUEST, i, &handle); i++)
            complete(matching, call, handle, i);
        return;
    }
    for (size_t i = 0; ft_mpi_call_detail(timeline, call, FT_MPI_KEY_COMPLETED, i, &position); i++)
        if (ft_mpi_call_detail(timeline, call, FT_MPI_KEY_REQUEST, position, &handle))
            complete(matching, call, handle, i);
}

static bool add_point_to_point(struct matching *matching, size_t index)
{
    const struct ft_mpi_timeline *timeline = matching->timeline;
    const struct ft_mpi_call *call = &timeline->calls[index];
    uint64_t value;
    const bool sends = ft_mpi_call_detail(timeline, call, FT_MPI_KEY_DESTINATION, 0, &value);
    const bool receives = ft_mpi_call_detail(timeline, call, FT_MPI_KEY_SOURCE, 0, &value);
    if (strchr(call->function->arguments, 'q'))
        return !ft_mpi_call_detail(timeline, call, FT_MPI_KEY_REQUEST, 0, &value) ||
               add_request(matching, index, value, sends);
    if (sends) {
        struct ft_mpi_message message = message_of(timeline, index, true);
        message.is_complete = call->has_returned;
        message.completed = index;
        if (!add_message(matching, &message))
            return false;
    }
    if (receives) {
        struct ft_mpi_message message = message_of(timeline, index, false);
        if (call->has_returned)
            match(timeline, call, 0, &message);
        if (!add_message(matching, &message))
            return false;
    }
    return true;
}

static bool match_all(struct matching *matching)
{
    const struct ft_mpi_timeline *timeline = matching->timeline;
    for (size_t i = 0; i < timeline->count; i++) {
        const struct ft_mpi_call *call = &timeline->calls[i];
        unsigned class = call->function ? call->function->class : FT_MPI_OTHER;
        if (class == FT_MPI_POINT_TO_POINT && !add_point_to_point(matching, i))
            return false;
        if (class == FT_MPI_START && !start_persistent(matching, i))
            return false;
        if (class == FT_MPI_COMPLETION)
            complete_all(matching, call);
    }
    return true;
}

int ft_mpi_timeline_messages(const struct ft_mpi_timeline *timeline, ft_mpi_message_visitor *visit,
                             void *context, struct ft_diag *diag)
{
    struct matching matching = {.timeline = timeline};
    int status = match_all(&matching) ? FT_OK : ft_fail_memory(diag, "the messages of a trace");
    for (size_t i = 0; status == FT_OK && i < matching.message_count; i++)
        visit(context, &matching.messages[i]);
    free(matching.messages);
    free(matching.requests);
    return status;
}
