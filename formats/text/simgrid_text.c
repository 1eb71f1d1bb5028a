/*
 * A rank's calls are gone through in their order, with two lists of its messages beside them: by
 * the call that starts them, and by the one that completes them. Waits name a message by its ends
 * and tag, as SimGrid wants it, and so complete the oldest of those that have these in common.
 *
 * In order: lines; messages; collectives of the world; those of other communicators; the calls of a
 * rank; a job.
 */
#include "formats/text/simgrid_text.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "formats/base/array.h"

#define BYTES       6      /* SimGrid's number of MPI_BYTE */
#define ANY_SOURCE  (-555) /* SimGrid's constants */
#define ANY_TAG     (-444)
#define TAG_OF_PART 30000U /* of the messages that collectives become: beyond those of programs */

struct writer {
    const struct ft_mpi_rank *rank;
    FILE *stream;
    struct ft_mpi_message *messages; /* in the order in which they start */
    size_t message_count, message_capacity;
    size_t *by_end; /* indices of messages that are complete, by the call that completes them */
    size_t end_count;
    size_t at_start, at_end; /* in both */
    uint64_t computed;       /* instructions so far */
    bool is_out_of_memory;
};

/* ---- lines ---- */

static void put(const struct writer *writer, const char *action)
{
    fprintf(writer->stream, "%" PRIu32 " %s", writer->rank->rank, action);
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
    if (instructions > writer->computed) {
        put(writer, "compute");
        put_number(writer, (int64_t)(instructions - writer->computed));
        end_line(writer);
    }
    writer->computed = instructions;
}

/* "send", "isend", "recv" or "irecv" */
static void put_message(const struct writer *writer, const char *action, int64_t peer, int64_t tag,
                        uint64_t bytes)
{
    put(writer, action);
    put_number(writer, peer);
    put_number(writer, tag);
    put_number(writer, (int64_t)bytes);
    put_number(writer, BYTES);
    end_line(writer);
}

/* ---- messages ---- */

static void add_message(void *context, const struct ft_mpi_message *message)
{
    struct writer *writer = context;
    if (message->peer == FT_MPI_NOBODY || writer->is_out_of_memory)
        return;
    if (!FT_RESERVE(writer->messages, writer->message_capacity, writer->message_count + 1)) {
        writer->is_out_of_memory = true;
        return;
    }
    writer->messages[writer->message_count++] = *message;
}

static int compare_ends(const void *left, const void *right, void *context)
{
    const struct ft_mpi_message *messages = context;
    const size_t a = *(const size_t *)left, b = *(const size_t *)right;
    if (messages[a].completed != messages[b].completed)
        return messages[a].completed < messages[b].completed ? -1 : 1;
    return (a > b) - (a < b);
}

static int list_messages(struct writer *writer, struct ft_diag *diag)
{
    FT_TRY(ft_mpi_timeline_messages(&writer->rank->timeline, add_message, writer, diag));
    writer->by_end = calloc(writer->message_count + 1, sizeof *writer->by_end);
    if (writer->is_out_of_memory || !writer->by_end)
        return ft_fail_memory(diag, "the messages of a rank");
    for (size_t i = 0; i < writer->message_count; i++)
        if (writer->messages[i].is_complete)
            writer->by_end[writer->end_count++] = i;
    qsort_r(writer->by_end, writer->end_count, sizeof *writer->by_end, compare_ends,
            writer->messages);
    return FT_OK;
}

static int fail_at(const struct writer *writer, const struct ft_mpi_call *call, const char *what,
                   struct ft_diag *diag)
{
    return ft_fail(diag, FT_ERROR_DATA, "%s: rank %" PRIu32 ": %s: %s", writer->rank->path,
                   writer->rank->rank, call->name, what);
}

/* The other end of a message in MPI_COMM_WORLD. */
static int peer_of(const struct writer *writer, const struct ft_mpi_message *message,
                   int64_t *ret_peer, struct ft_diag *diag)
{
    const struct ft_mpi_call *call = &writer->rank->timeline.calls[message->call];
    if (!message->has_bytes)
        return fail_at(writer, call, "a message whose datatype is not known", diag);
    if (message->peer == FT_MPI_ANY) {
        *ret_peer = ANY_SOURCE;
        return FT_OK;
    }
    uint32_t world = ft_mpi_world_rank(writer->rank, message->communicator, message->peer - 2);
    if (world == FT_MPI_NO_RANK)
        return fail_at(writer, call, "a communicator whose ranks are not known", diag);
    *ret_peer = world;
    return FT_OK;
}

static int64_t tag_of(const struct ft_mpi_message *message)
{
    return message->tag ? (int64_t)message->tag - 1 : ANY_TAG;
}

/* Whether sending and receiving end with the call: else waits follow, in it or later. */
static bool is_blocking(const struct ft_mpi_call *call)
{
    return !strchr(call->function->arguments, 'q') && call->function->class != FT_MPI_START &&
           strncmp(call->function->name, "Sendrecv", 8) != 0;
}

/* Whether messages start or end with the call. */
static bool has_messages(const struct writer *writer, size_t index)
{
    return (writer->at_start < writer->message_count &&
            writer->messages[writer->at_start].started == index) ||
           (writer->at_end < writer->end_count &&
            writer->messages[writer->by_end[writer->at_end]].completed == index);
}

static int put_starts(struct writer *writer, size_t index, struct ft_diag *diag)
{
    for (; writer->at_start < writer->message_count &&
           writer->messages[writer->at_start].started == index;
         writer->at_start++) {
        const struct ft_mpi_message *message = &writer->messages[writer->at_start];
        const bool blocks = is_blocking(&writer->rank->timeline.calls[index]);
        int64_t peer = 0;
        FT_TRY(peer_of(writer, message, &peer, diag));
        put_message(writer,
                    message->is_sent ? (blocks ? "send" : "isend") : (blocks ? "recv" : "irecv"),
                    peer, tag_of(message), message->bytes);
    }
    return FT_OK;
}

static int put_ends(struct writer *writer, size_t index, struct ft_diag *diag)
{
    for (; writer->at_end < writer->end_count; writer->at_end++) {
        const struct ft_mpi_message *message = &writer->messages[writer->by_end[writer->at_end]];
        if (message->completed != index)
            break;
        int64_t peer = 0, own = writer->rank->rank;
        if (is_blocking(&writer->rank->timeline.calls[message->started]))
            continue;
        FT_TRY(peer_of(writer, message, &peer, diag));
        put(writer, "wait");
        put_number(writer, message->is_sent ? own : peer);
        put_number(writer, message->is_sent ? peer : own);
        put_number(writer, tag_of(message));
        end_line(writer);
    }
    return FT_OK;
}

/* ---- collectives ---- */

static int read_collective(const struct writer *writer, const struct ft_mpi_call *call,
                           struct ft_mpi_collective *ret_collective, struct ft_diag *diag)
{
    ft_mpi_collective_read(writer->rank, call, ret_collective);
    if (ret_collective->has_unknown_bytes)
        return fail_at(writer, call, "a datatype that is not known", diag);
    if (ret_collective->size == 0)
        return fail_at(writer, call, "a communicator whose ranks are not known", diag);
    if (ret_collective->sent_bytes == 0) /* in place */
        ret_collective->sent_bytes = ret_collective->received_bytes;
    return FT_OK;
}

static void put_parts(const struct writer *writer, const struct ft_mpi_call *call,
                      enum ft_mpi_key key)
{
    uint64_t bytes;
    for (size_t i = 0; ft_mpi_call_detail(&writer->rank->timeline, call, key, i, &bytes); i++)
        put_number(writer, (int64_t)bytes);
}

/* Of MPI_COMM_WORLD: SimGrid's algorithms are chosen there. False: not one that it replays. */
static bool put_collective(const struct writer *writer, const struct ft_mpi_call *call,
                           const struct ft_mpi_collective *collective)
{
    const char *name = collective->name;
    const bool reduces = strstr(name, "reduce") || strstr(name, "scan");
    const int64_t sent = (int64_t)collective->sent_bytes;
    const int64_t received = (int64_t)collective->received_bytes;
    if (collective->has_counts && strcmp(name, "allgatherv") != 0)
        return false;
    if (strcmp(name, "reduce_scatter_block") == 0)
        return false;
    put(writer, name);
    if (strcmp(name, "barrier") != 0)
        put_number(writer, sent);
    if (reduces)
        put_number(writer, 0); /* the operation's work is not known */
    else if (strcmp(name, "allgatherv") == 0)
        put_parts(writer, call, FT_MPI_KEY_RECEIVED_PART);
    else if (strcmp(name, "barrier") != 0 && strcmp(name, "bcast") != 0)
        put_number(writer, received ? received : sent);
    if (collective->has_root)
        put_number(writer, collective->root);
    if (strcmp(name, "barrier") != 0)
        put_number(writer, BYTES);
    if (strcmp(name, "barrier") != 0 && strcmp(name, "bcast") != 0 && !reduces)
        put_number(writer, BYTES);
    end_line(writer);
    return true;
}

/* To or from the root, in a communicator. */
static void put_part(const struct writer *writer, const struct ft_mpi_collective *collective,
                     uint32_t other, bool sends, uint64_t bytes)
{
    put_message(writer, sends ? "send" : "recv",
                ft_mpi_world_rank(writer->rank, collective->communicator, other), TAG_OF_PART,
                bytes);
}

/* All to the root, or the root to all. */
static void put_star(const struct writer *writer, const struct ft_mpi_collective *collective,
                     bool to_root, uint64_t bytes)
{
    const uint32_t root = collective->root;
    if (collective->own != root) {
        put_part(writer, collective, root, to_root, bytes);
        return;
    }
    for (uint32_t i = 0; i < collective->size; i++)
        if (i != root)
            put_part(writer, collective, i, !to_root, bytes);
}

/* As messages to and from the root, or rank 0. False: not one that becomes some. */
static bool put_as_messages(const struct writer *writer, const struct ft_mpi_collective *collective)
{
    const char *name = collective->name;
    const bool gathers = strcmp(name, "allgather") == 0;
    const bool goes_there = strcmp(name, "reduce") == 0 || strcmp(name, "gather") == 0;
    const bool comes_back = strcmp(name, "bcast") == 0 || strcmp(name, "scatter") == 0;
    const bool does_both =
        strcmp(name, "barrier") == 0 || strcmp(name, "allreduce") == 0 || gathers;
    if (!goes_there && !comes_back && !does_both)
        return false;
    const uint64_t bytes = collective->sent_bytes;
    if (goes_there || does_both)
        put_star(writer, collective, true, bytes);
    if (comes_back || does_both)
        put_star(writer, collective, false, gathers ? bytes * collective->size : bytes);
    return true;
}

static int put_any_collective(const struct writer *writer, const struct ft_mpi_call *call,
                              struct ft_diag *diag)
{
    struct ft_mpi_collective collective;
    FT_TRY(read_collective(writer, call, &collective, diag));
    bool is_put = collective.size == 1 || (collective.communicator == FT_MPI_WORLD
                                               ? put_collective(writer, call, &collective)
                                               : put_as_messages(writer, &collective));
    return is_put ? FT_OK : fail_at(writer, call, "cannot be replayed by SimGrid", diag);
}

/* ---- a job ---- */

static int put_call(struct writer *writer, size_t index, struct ft_diag *diag)
{
    const struct ft_mpi_call *call = &writer->rank->timeline.calls[index];
    const unsigned class = call->function ? call->function->class : FT_MPI_OTHER;
    if (ft_mpi_call_is_init(call)) {
        put(writer, "init\n");
        writer->computed = call->instructions;
        return FT_OK;
    }
    if (class == FT_MPI_ENVIRONMENT || class == FT_MPI_DATATYPE || class == FT_MPI_COMMUNICATOR)
        return FT_OK; /* what is between such calls is one computation */
    if (class == FT_MPI_OTHER && ft_mpi_is_local(call->name))
        return FT_OK;
    if (class == FT_MPI_OTHER)
        return fail_at(writer, call, "a call that is known by name only cannot be replayed", diag);
    if (class == FT_MPI_FILE)
        return fail_at(writer, call, "MPI's files cannot be replayed", diag);
    if (class == FT_MPI_COLLECTIVE || has_messages(writer, index))
        compute_up_to(writer, call->instructions);
    if (class == FT_MPI_COLLECTIVE)
        return put_any_collective(writer, call, diag);
    FT_TRY(put_starts(writer, index, diag));
    return put_ends(writer, index, diag);
}

static int put_rank(struct writer *writer, struct ft_diag *diag)
{
    const struct ft_mpi_timeline *timeline = &writer->rank->timeline;
    FT_TRY(list_messages(writer, diag));
    for (size_t i = 0; i < timeline->count; i++) {
        if (timeline->calls[i].thread != timeline->calls[0].thread)
            return fail_at(writer, &timeline->calls[i], "calls of several threads", diag);
        FT_TRY(put_call(writer, i, diag));
    }
    if (timeline->count) {
        const struct ft_mpi_call *last = &timeline->calls[timeline->count - 1];
        compute_up_to(writer, last->instructions);
        put(writer, "finalize\n");
    }
    return FT_OK;
}

int ft_simgrid_write(const struct ft_mpi_job *job, FILE *stream, struct ft_diag *diag)
{
    if (job->rank_count < job->size)
        return ft_fail(diag, FT_ERROR_DATA,
                       "%zu trace%s of a job of %" PRIu32 " ranks: those of all are needed",
                       job->rank_count, job->rank_count == 1 ? "" : "s", job->size);
    int status = FT_OK;
    for (size_t i = 0; i < job->rank_count && status == FT_OK; i++) {
        struct writer writer = {.rank = &job->ranks[i], .stream = stream};
        status = put_rank(&writer, diag);
        free(writer.messages);
        free(writer.by_end);
    }
    return status;
}
