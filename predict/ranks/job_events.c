/*
 * A rank's calls are gone through in their order, with two lists of its messages beside them: by
 * the call that starts them, and by the one that completes them.
 *
 * In order: whole jobs; lines; messages; collectives; communicators; files of MPI; the calls of a
 * rank; a job.
 */
#include "predict/ranks/job_events.h"

#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

struct writer {
    const struct ft_mpi_rank *rank;
    const struct ft_rank_messages *messages;
    FILE *stream;
    double seconds_per_instruction;
    const struct ft_network *network;
    size_t at_access;        /* of files */
    size_t at_start, at_end; /* in both lists of messages */
    uint64_t computed;       /* instructions so far */
};

/* ---- whole jobs ---- */

static int check_rank(const struct ft_mpi_rank *rank, struct ft_diag *diag)
{
    const struct ft_mpi_timeline *timeline = &rank->timeline;
    const struct ft_mpi_call *last = &timeline->calls[timeline->count - 1];
    bool has_begun = false;
    for (size_t i = 0; i < timeline->count; i++) {
        if (timeline->calls[i].thread != timeline->calls[0].thread)
            return ft_rank_fail_at(rank, &timeline->calls[i], "calls of several threads", diag);
        has_begun |= ft_mpi_call_is_init(&timeline->calls[i]);
        last = strcmp(timeline->calls[i].name, "MPI_Finalize") == 0 ? &timeline->calls[i] : last;
    }
    if (!rank->is_whole)
        return ft_fail(diag, FT_ERROR_DATA,
                       "%s: rank %" PRIu32 ": the trace was cut off: capture the run again",
                       rank->path, rank->rank);
    if (!has_begun)
        return ft_fail(diag, FT_ERROR_DATA,
                       "%s: rank %" PRIu32 ": MPI_Init is not in the trace: capture the whole run",
                       rank->path, rank->rank);
    if (strcmp(last->name, "MPI_Finalize") != 0)
        return ft_fail(diag, FT_ERROR_DATA,
                       "%s: rank %" PRIu32 ": died: it ended %s %s, without MPI_Finalize",
                       rank->path, rank->rank, last->has_returned ? "behind" : "in", last->name);
    return FT_OK;
}

int ft_job_check_whole(const struct ft_mpi_job *job, struct ft_diag *diag)
{
    for (size_t i = 0; i < job->rank_count; i++)
        FT_TRY(check_rank(&job->ranks[i], diag));
    if (job->rank_count == job->size)
        return FT_OK;
    uint32_t missing = 0;
    while (missing < job->rank_count && job->ranks[missing].rank == missing)
        missing++;
    return ft_fail(diag, FT_ERROR_DATA,
                   "%zu trace%s of a job of %" PRIu32 " ranks: that of rank %" PRIu32
                   " is missing, and those of all are needed",
                   job->rank_count, job->rank_count == 1 ? "" : "s", job->size, missing);
}

/* ---- lines ---- */

static void put(const struct writer *writer, const char *action)
{
    fputs(action, writer->stream);
}

static void put_number(const struct writer *writer, int64_t number)
{
    fprintf(writer->stream, " %" PRId64, number);
}

static void end_line(const struct writer *writer)
{
    fputc('\n', writer->stream);
}

static void compute_up_to(struct writer *writer, uint64_t instructions)
{
    if (instructions > writer->computed)
        fprintf(writer->stream, "compute %.17g\n",
                (double)(instructions - writer->computed) * writer->seconds_per_instruction);
    writer->computed = instructions;
}

static void put_access(const struct writer *writer, const struct ft_file_access *access)
{
    fprintf(writer->stream, "%s %" PRIu64 " %.17g\n", access->writes ? "write" : "read",
            access->bytes, 1e-9 * writer->network->storage.latency_ns);
}

/* Up to a call: accesses of files, and the computation between them. Those before MPI_Init are not
 * simulated. */
static void access_up_to(struct writer *writer, const struct ft_mpi_call *call)
{
    const struct ft_mpi_timeline *timeline = &writer->rank->timeline;
    for (; writer->at_access < timeline->access_count; writer->at_access++) {
        const struct ft_file_access *access = &timeline->accesses[writer->at_access];
        if (access->thread != call->thread)
            continue;
        if (access->instructions >= call->instructions)
            break;
        if (!ft_network_has_storage(writer->network) || access->instructions < writer->computed)
            continue;
        compute_up_to(writer, access->instructions);
        put_access(writer, access);
    }
}

static int check_bytes(const struct writer *writer, const struct ft_mpi_call *call, uint64_t bytes,
                       struct ft_diag *diag)
{
    return bytes <= INT_MAX ? FT_OK
                            : ft_rank_fail_at(writer->rank, call,
                                              "2 GiB or more in one call are not simulated", diag);
}

/* ---- messages ---- */

/* Whether it ends with the call that starts it. What is buffered ends some time. */
static bool blocks(const struct writer *writer, const struct ft_rank_message *message)
{
    return ft_mpi_call_blocks(&writer->rank->timeline.calls[message->base.started]) &&
           !ft_rank_message_is_buffered(writer->rank, message);
}

static void put_message(const struct writer *writer, size_t index)
{
    const struct ft_rank_message *message = &writer->messages->items[index];
    const struct ft_mpi_call *calls = writer->rank->timeline.calls;
    const bool is_ssend = ft_mpi_call_is_synchronous(&calls[message->base.call]);
    const bool has_number = !blocks(writer, message);
    put(writer, has_number ? "i" : "");
    put(writer, message->base.is_sent ? (is_ssend ? "ssend" : "send") : "recv");
    if (has_number)
        put_number(writer, (int64_t)index);
    put_number(writer, (int64_t)message->base.communicator);
    put_number(writer, (int64_t)message->base.peer - 2); /* in the communicator */
    put_number(writer, (int64_t)message->base.tag - 1);
    put_number(writer, (int64_t)message->base.bytes);
    end_line(writer);
}

static int put_starts(struct writer *writer, size_t call, struct ft_diag *diag)
{
    const struct ft_rank_messages *messages = writer->messages;
    for (; writer->at_start < messages->count &&
           messages->items[writer->at_start].base.started == call;
         writer->at_start++) {
        const struct ft_rank_message *message = &messages->items[writer->at_start];
        FT_TRY(check_bytes(writer, &writer->rank->timeline.calls[call], message->base.bytes, diag));
        put_message(writer, writer->at_start);
        if (!message->base.is_complete && !message->base.is_sent && !blocks(writer, message)) {
            put(writer, "drop");
            put_number(writer, (int64_t)writer->at_start);
            end_line(writer);
        }
    }
    return FT_OK;
}

static void put_ends(struct writer *writer, size_t call)
{
    const struct ft_rank_messages *messages = writer->messages;
    for (; writer->at_end < messages->end_count; writer->at_end++) {
        const size_t index = messages->by_end[writer->at_end];
        if (messages->items[index].base.completed != call)
            break;
        if (blocks(writer, &messages->items[index]) ||
            ft_rank_message_is_buffered(writer->rank, &messages->items[index]))
            continue;
        put(writer, "wait");
        put_number(writer, (int64_t)index);
        end_line(writer);
    }
}

static bool has_messages(const struct writer *writer, size_t call)
{
    const struct ft_rank_messages *messages = writer->messages;
    return (writer->at_start < messages->count &&
            messages->items[writer->at_start].base.started == call) ||
           (writer->at_end < messages->end_count &&
            messages->items[messages->by_end[writer->at_end]].base.completed == call);
}

/* ---- collectives ---- */

static int put_parts(const struct writer *writer, const struct ft_mpi_call *call,
                     enum ft_mpi_key key, uint32_t size, struct ft_diag *diag)
{
    uint64_t bytes, sum = 0;
    uint32_t count = 0;
    for (; ft_mpi_call_detail(&writer->rank->timeline, call, key, count, &bytes); count++) {
        FT_TRY(check_bytes(writer, call, bytes, diag));
        FT_TRY(check_bytes(writer, call, sum += bytes, diag));
        put_number(writer, (int64_t)bytes);
    }
    if (count != size)
        return ft_rank_fail_at(writer->rank, call, "the bytes of each rank are not known", diag);
    return FT_OK;
}

static bool is_named(const struct ft_mpi_collective *collective, const char *name)
{
    return strcmp(collective->name, name) == 0;
}

/* Of those with arrays of counts: own bytes, then those of each rank. What is in place has the
 * counts of what it receives. */
static int put_counts(const struct writer *writer, const struct ft_mpi_call *call,
                      const struct ft_mpi_collective *collective, struct ft_diag *diag)
{
    const struct ft_mpi_timeline *timeline = &writer->rank->timeline;
    const bool scatters = is_named(collective, "scatterv");
    const bool exchanges = is_named(collective, "alltoallv");
    uint64_t own = scatters ? collective->received_bytes : collective->sent_bytes, part;
    if (is_named(collective, "allgatherv"))
        ft_mpi_call_detail(timeline, call, FT_MPI_KEY_RECEIVED_PART, collective->own, &own);
    FT_TRY(check_bytes(writer, call, own, diag));
    if (!exchanges)
        put_number(writer, (int64_t)own);
    if (collective->has_root && !collective->is_root)
        return FT_OK; /* what the root's call alone has */
    const bool is_in_place =
        exchanges && !ft_mpi_call_detail(timeline, call, FT_MPI_KEY_SENT_PART, 0, &part);
    if (scatters || exchanges)
        FT_TRY(put_parts(writer, call,
                         is_in_place ? FT_MPI_KEY_RECEIVED_PART : FT_MPI_KEY_SENT_PART,
                         collective->size, diag));
    if (!scatters)
        FT_TRY(put_parts(writer, call, FT_MPI_KEY_RECEIVED_PART, collective->size, diag));
    return FT_OK;
}

/* Of one rank, as far as its call says: arguments that count at the root alone may be anything
 * elsewhere, and what is in place is only received. */
static uint64_t part_of(const struct ft_mpi_collective *collective)
{
    const uint64_t sent = collective->sent_bytes, received = collective->received_bytes;
    if (is_named(collective, "gather"))
        return collective->is_root ? received : sent;
    if (is_named(collective, "scatter"))
        return collective->is_root ? sent : received;
    if (is_named(collective, "allgather") || is_named(collective, "alltoall"))
        return received;
    return sent ? sent : received;
}

/* Of all parts that a rank's buffers have. */
static uint64_t buffer_of(const struct ft_mpi_collective *collective)
{
    static const char *const with_parts[] = {"gather", "scatter", "allgather", "alltoall",
                                             "reduce_scatter_block"};
    const uint64_t sent = collective->sent_bytes, received = collective->received_bytes;
    if (collective->has_counts)
        return sent > received ? sent : received;
    uint64_t bytes = part_of(collective);
    for (size_t i = 0; i < sizeof with_parts / sizeof *with_parts; i++)
        if (is_named(collective, with_parts[i]) &&
            __builtin_mul_overflow(bytes, collective->size, &bytes))
            return UINT64_MAX;
    return bytes;
}

static int put_collective(const struct writer *writer, const struct ft_mpi_call *call,
                          struct ft_diag *diag)
{
    struct ft_mpi_collective collective;
    ft_mpi_collective_read(writer->rank, call, &collective);
    if (collective.has_unknown_bytes)
        return ft_rank_fail_at(writer->rank, call, "a datatype that is not known", diag);
    if (collective.size == 0)
        return ft_rank_fail_at(writer->rank, call, "a communicator whose ranks are not known",
                               diag);
    if (!collective.has_counts) /* else where they are */
        FT_TRY(check_bytes(writer, call, buffer_of(&collective), diag));
    put(writer, collective.name);
    put_number(writer, (int64_t)collective.communicator);
    if (collective.has_root)
        put_number(writer, collective.root);
    if (collective.has_counts)
        FT_TRY(put_counts(writer, call, &collective, diag));
    else if (!is_named(&collective, "barrier"))
        put_number(writer, (int64_t)part_of(&collective));
    end_line(writer);
    return FT_OK;
}

/* ---- communicators ---- */

/* By their members, whatever made them: the first one's rank in the world is the colour, and their
 * order the key. */
static void put_communicator(const struct writer *writer, const struct ft_mpi_call *call)
{
    const struct ft_mpi_rank *rank = writer->rank;
    uint64_t parent = 0, made = 0;
    ft_mpi_call_detail(&rank->timeline, call, FT_MPI_KEY_COMMUNICATOR, 0, &parent);
    ft_mpi_call_detail(&rank->timeline, call, FT_MPI_KEY_NEW_COMMUNICATOR, 0, &made);
    const uint32_t size = ft_mpi_communicator_size(rank, made);
    const bool is_of_members = ft_mpi_call_is_of_members(call);
    put(writer, is_of_members ? "group" : "split");
    put_number(writer, (int64_t)parent);
    put_number(writer, (int64_t)made);
    if (is_of_members) {
        put_number(writer, size);
        for (uint32_t i = 0; i < size; i++)
            put_number(writer, ft_mpi_world_rank(rank, made, i));
    } else {
        put_number(writer, made ? (int64_t)ft_mpi_world_rank(rank, made, 0) : -1);
        put_number(writer, made ? (int64_t)ft_mpi_communicator_rank(rank, made) : 0);
    }
    end_line(writer);
}

/* ---- files of MPI ---- */

/* Those that all members of a communicator call together wait for all of them; what they move is
 * moved then, each member's part by itself. */
static int put_file_call(const struct writer *writer, const struct ft_mpi_call *call,
                         struct ft_diag *diag)
{
    struct ft_mpi_collective collective;
    if (!ft_mpi_file_call_is_collective(call->name))
        return FT_OK;
    ft_mpi_collective_read(writer->rank, call, &collective);
    if (collective.size == 0)
        return ft_rank_fail_at(writer->rank, call,
                               "a file of a communicator whose ranks are not known", diag);
    put(writer, "barrier");
    put_number(writer, (int64_t)collective.communicator);
    end_line(writer);
    return FT_OK;
}

static int put_moved(const struct writer *writer, const struct ft_mpi_call *call,
                     struct ft_diag *diag)
{
    uint64_t elements;
    struct ft_file_access access;
    if (!ft_network_has_storage(writer->network))
        return FT_OK;
    if (ft_mpi_call_detail(&writer->rank->timeline, call, FT_MPI_KEY_UNKNOWN_BYTES, 0, &elements) &&
        !ft_mpi_call_detail(&writer->rank->timeline, call, FT_MPI_KEY_MATCHED_BYTES, 0, &elements))
        return ft_rank_fail_at(writer->rank, call, "a datatype that is not known", diag);
    if (ft_mpi_call_file_access(&writer->rank->timeline, call, &access))
        put_access(writer, &access);
    return FT_OK;
}

/* ---- the calls of a rank ---- */

static unsigned class_of(const struct ft_mpi_call *call)
{
    return call->function ? call->function->class : FT_MPI_OTHER;
}

/* Whether the call takes part in anything that is simulated. */
static bool is_event(const struct writer *writer, size_t index)
{
    const struct ft_mpi_call *call = &writer->rank->timeline.calls[index];
    const unsigned class = class_of(call);
    if (class == FT_MPI_COMMUNICATOR)
        return ft_mpi_call_is_followed(writer->rank, call);
    return class == FT_MPI_COLLECTIVE || class == FT_MPI_FILE || ft_mpi_call_is_init(call) ||
           strcmp(call->name, "MPI_Finalize") == 0 || has_messages(writer, index);
}

static int put_event(struct writer *writer, size_t index, struct ft_diag *diag)
{
    const struct ft_mpi_call *call = &writer->rank->timeline.calls[index];
    if (ft_mpi_call_is_init(call)) {
        put(writer, "init\n");
    } else if (strcmp(call->name, "MPI_Finalize") == 0) {
        put(writer, "finalize\n");
    } else if (class_of(call) == FT_MPI_COMMUNICATOR) {
        put_communicator(writer, call);
    } else if (class_of(call) == FT_MPI_COLLECTIVE) {
        return put_collective(writer, call, diag);
    } else if (class_of(call) == FT_MPI_FILE) {
        return put_file_call(writer, call, diag);
    } else {
        FT_TRY(put_starts(writer, index, diag));
        put_ends(writer, index);
    }
    return FT_OK;
}

static int put_call(struct writer *writer, size_t index, struct ft_diag *diag)
{
    const struct ft_mpi_call *call = &writer->rank->timeline.calls[index];
    if (!call->function && !ft_mpi_is_local(call->name))
        return ft_rank_fail_at(writer->rank, call,
                               "a call that is known by name only cannot be simulated", diag);
    if (!is_event(writer, index))
        return FT_OK; /* what is between such calls is one computation */
    if (ft_mpi_call_is_init(call))
        writer->computed = call->instructions;
    access_up_to(writer, call);
    compute_up_to(writer, call->instructions);
    fprintf(writer->stream, "begin %zu\n", index);
    FT_TRY(put_event(writer, index, diag));
    put(writer, "end\n");
    return class_of(call) == FT_MPI_FILE ? put_moved(writer, call, diag) : FT_OK;
}

/* ---- a job ---- */

/* The room that the largest call needs. */
static uint64_t buffer_bytes(const struct ft_mpi_job *job, const struct ft_job_messages *messages)
{
    uint64_t bytes = 1;
    for (size_t r = 0; r < job->rank_count; r++) {
        const struct ft_mpi_timeline *timeline = &job->ranks[r].timeline;
        for (size_t i = 0; i < messages->ranks[r].count; i++)
            if (messages->ranks[r].items[i].base.bytes > bytes)
                bytes = messages->ranks[r].items[i].base.bytes;
        for (size_t i = 0; i < timeline->count; i++) {
            struct ft_mpi_collective collective;
            if (!timeline->calls[i].function ||
                timeline->calls[i].function->class != FT_MPI_COLLECTIVE)
                continue;
            ft_mpi_collective_read(&job->ranks[r], &timeline->calls[i], &collective);
            if (buffer_of(&collective) > bytes)
                bytes = buffer_of(&collective);
        }
    }
    return bytes;
}

int ft_job_events_write(const struct ft_mpi_job *job, const struct ft_job_messages *messages,
                        const double *seconds_per_instruction, const struct ft_network *network,
                        FILE *stream, struct ft_diag *diag)
{
    fprintf(stream, "ranks %zu %" PRIu64 "\n", job->rank_count, buffer_bytes(job, messages));
    for (size_t r = 0; r < job->rank_count; r++) {
        struct writer writer = {.rank = &job->ranks[r],
                                .messages = &messages->ranks[r],
                                .stream = stream,
                                .network = network,
                                .seconds_per_instruction = seconds_per_instruction[r]};
        fprintf(stream, "rank %zu\n", r);
        for (size_t i = 0; i < job->ranks[r].timeline.count; i++)
            FT_TRY(put_call(&writer, i, diag));
    }
    return FT_OK;
}
