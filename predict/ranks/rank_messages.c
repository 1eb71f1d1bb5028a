/*
 * Each message becomes two keys' worth of ends, communicator and tag; both sides are sorted by
 * them, stably, and paired from the front.
 */
#include "predict/ranks/rank_messages.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "formats/base/array.h"

bool ft_mpi_call_blocks(const struct ft_mpi_call *call)
{
    return !strchr(call->function->arguments, 'q') && call->function->class != FT_MPI_START &&
           strncmp(call->function->name, "Sendrecv", 8) != 0;
}

bool ft_mpi_call_is_synchronous(const struct ft_mpi_call *call)
{
    return strncmp(call->function->name, "Ssend", 5) == 0 ||
           strncmp(call->function->name, "Issend", 6) == 0;
}

bool ft_rank_message_is_buffered(const struct ft_mpi_rank *rank,
                                 const struct ft_rank_message *message)
{
    const char *name = rank->timeline.calls[message->base.call].function->name;
    return strncmp(name, "Bsend", 5) == 0 || strncmp(name, "Ibsend", 6) == 0;
}

int ft_rank_fail_at(const struct ft_mpi_rank *rank, const struct ft_mpi_call *call,
                    const char *what, struct ft_diag *diag)
{
    return ft_fail(diag, FT_ERROR_DATA, "%s: rank %" PRIu32 ": %s: %s", rank->path, rank->rank,
                   call->name, what);
}

/* ---- of a rank ---- */

struct reader {
    const struct ft_mpi_rank *rank;
    struct ft_rank_messages *messages;
    struct ft_diag *diag;
    int status;
};

static int add(struct reader *reader, const struct ft_mpi_message *message)
{
    struct ft_rank_messages *messages = reader->messages;
    const struct ft_mpi_call *call = &reader->rank->timeline.calls[message->call];
    struct ft_rank_message item = {
        .base = *message, .peer = FT_MPI_NO_RANK, .other = FT_NO_MESSAGE};
    if (!message->has_bytes)
        return ft_rank_fail_at(reader->rank, call, "a message whose datatype is not known",
                               reader->diag);
    if (ft_mpi_world_rank(reader->rank, message->communicator, 0) == FT_MPI_NO_RANK)
        return ft_rank_fail_at(reader->rank, call, "a communicator whose ranks are not known",
                               reader->diag);
    if (message->peer != FT_MPI_ANY) {
        item.peer = ft_mpi_world_rank(reader->rank, message->communicator, message->peer - 2);
        if (item.peer == FT_MPI_NO_RANK)
            return ft_rank_fail_at(reader->rank, call, "a peer beyond its communicator",
                                   reader->diag);
    }
    if (!FT_RESERVE(messages->items, messages->capacity, messages->count + 1))
        return ft_fail_memory(reader->diag, "the messages of a rank");
    messages->items[messages->count++] = item;
    return FT_OK;
}

static void visit(void *context, const struct ft_mpi_message *message)
{
    struct reader *reader = context;
    if (message->peer != FT_MPI_NOBODY && reader->status == FT_OK)
        reader->status = add(reader, message);
}

static int compare_ends(const void *left, const void *right, void *context)
{
    const struct ft_rank_message *items = context;
    const size_t a = *(const size_t *)left, b = *(const size_t *)right;
    if (items[a].base.completed != items[b].base.completed)
        return items[a].base.completed < items[b].base.completed ? -1 : 1;
    return (a > b) - (a < b);
}

static int read_rank(const struct ft_mpi_rank *rank, struct ft_rank_messages *messages,
                     struct ft_diag *diag)
{
    struct reader reader = {.rank = rank, .messages = messages, .diag = diag};
    FT_TRY(ft_mpi_timeline_messages(&rank->timeline, visit, &reader, diag));
    FT_TRY(reader.status);
    messages->by_end = calloc(messages->count + 1, sizeof *messages->by_end);
    if (!messages->by_end)
        return ft_fail_memory(diag, "the messages of a rank");
    for (size_t i = 0; i < messages->count; i++)
        if (messages->items[i].base.is_complete)
            messages->by_end[messages->end_count++] = i;
    qsort_r(messages->by_end, messages->end_count, sizeof *messages->by_end, compare_ends,
            messages->items);
    return FT_OK;
}

/* ---- sends and receives ---- */

struct end {
    uintptr_t group; /* of the communicator, the same for all its members */
    uint64_t tag;
    uint32_t from, to; /* in MPI_COMM_WORLD */
    size_t index;      /* of the message */
};

static int compare_keys(const struct end *a, const struct end *b)
{
    if (a->from != b->from)
        return a->from < b->from ? -1 : 1;
    if (a->to != b->to)
        return a->to < b->to ? -1 : 1;
    if (a->group != b->group)
        return a->group < b->group ? -1 : 1;
    return (a->tag > b->tag) - (a->tag < b->tag);
}

static int compare_all(const void *left, const void *right)
{
    const struct end *a = left, *b = right;
    const int order = compare_keys(a, b);
    return order ? order : (a->index > b->index) - (a->index < b->index);
}

/* The sends, or receives, of all ranks, sorted; of receives those whose source and tag are known.
 */
static size_t list_ends(const struct ft_mpi_job *job, const struct ft_job_messages *messages,
                        bool sent, struct end *ends)
{
    size_t count = 0;
    for (size_t r = 0; r < job->rank_count; r++) {
        const struct ft_mpi_rank *rank = &job->ranks[r];
        for (size_t i = 0; i < messages->ranks[r].count; i++) {
            const struct ft_rank_message *message = &messages->ranks[r].items[i];
            const uint64_t communicator = message->base.communicator;
            if (message->base.is_sent != sent || message->peer == FT_MPI_NO_RANK ||
                message->base.tag == 0)
                continue;
            ends[count++] = (struct end){
                .group = (uintptr_t)ft_mpi_group_at(&rank->communicators, communicator),
                .tag = message->base.tag,
                .from = sent ? (uint32_t)r : message->peer,
                .to = sent ? message->peer : (uint32_t)r,
                .index = i};
        }
    }
    qsort(ends, count, sizeof *ends, compare_all);
    return count;
}

static void pair(struct ft_job_messages *messages, const struct end *sends, size_t send_count,
                 const struct end *receives, size_t receive_count)
{
    for (size_t s = 0, r = 0; s < send_count && r < receive_count;) {
        const int order = compare_keys(&sends[s], &receives[r]);
        if (order < 0) {
            s++;
        } else if (order > 0) {
            r++;
        } else {
            messages->ranks[sends[s].from].items[sends[s].index].other = receives[r].index;
            messages->ranks[receives[r].to].items[receives[r].index].other = sends[s].index;
            s++, r++;
        }
    }
}

static void count_unknown(struct ft_job_messages *messages)
{
    for (size_t r = 0; r < messages->rank_count; r++)
        for (size_t i = 0; i < messages->ranks[r].count; i++) {
            const struct ft_rank_message *message = &messages->ranks[r].items[i];
            messages->unknown += !message->base.is_sent && message->other == FT_NO_MESSAGE;
        }
}

/* What was received must have been sent, and fit; sends may go to receives that are not known. */
static int check_pair(const struct ft_mpi_job *job, const struct ft_job_messages *messages,
                      size_t rank, const struct ft_rank_message *message, struct ft_diag *diag)
{
    const struct ft_mpi_call *call = &job->ranks[rank].timeline.calls[message->base.call];
    const bool is_known = message->peer != FT_MPI_NO_RANK && message->base.tag != 0;
    if (message->other != FT_NO_MESSAGE) {
        const uint64_t sent = messages->ranks[message->peer].items[message->other].base.bytes;
        return message->base.is_sent || sent <= message->base.bytes
                   ? FT_OK
                   : ft_rank_fail_at(&job->ranks[rank], call,
                                     "more is sent than it receives: traces of two runs?", diag);
    }
    if (message->base.is_sent ? messages->unknown > 0 : !is_known || !message->base.is_complete)
        return FT_OK;
    return ft_rank_fail_at(&job->ranks[rank], call,
                           message->base.is_sent
                               ? "no rank receives what it sends: traces of two runs?"
                               : "no rank sends what it receives: traces of two runs?",
                           diag);
}

static int check_pairs(const struct ft_mpi_job *job, const struct ft_job_messages *messages,
                       struct ft_diag *diag)
{
    for (size_t r = 0; r < messages->rank_count; r++)
        for (size_t i = 0; i < messages->ranks[r].count; i++)
            FT_TRY(check_pair(job, messages, r, &messages->ranks[r].items[i], diag));
    return FT_OK;
}

static int match(const struct ft_mpi_job *job, struct ft_job_messages *messages,
                 struct ft_diag *diag)
{
    size_t count = 0;
    for (size_t r = 0; r < messages->rank_count; r++)
        count += messages->ranks[r].count;
    struct end *sends = calloc(count + 1, sizeof *sends);
    struct end *receives = calloc(count + 1, sizeof *receives);
    int status = sends && receives ? FT_OK : ft_fail_memory(diag, "the messages of all ranks");
    if (status == FT_OK) {
        const size_t send_count = list_ends(job, messages, true, sends);
        pair(messages, sends, send_count, receives, list_ends(job, messages, false, receives));
        count_unknown(messages);
        status = check_pairs(job, messages, diag);
    }
    free(sends);
    free(receives);
    return status;
}

/* ---- the module's functions ---- */

int ft_job_messages_read(const struct ft_mpi_job *job, struct ft_job_messages *ret_messages,
                         struct ft_diag *diag)
{
    struct ft_job_messages messages = {
        .ranks = calloc(job->rank_count + 1, sizeof *messages.ranks),
        .rank_count = job->rank_count,
    };
    int status = messages.ranks ? FT_OK : ft_fail_memory(diag, "the messages of all ranks");
    for (size_t i = 0; i < job->rank_count && status == FT_OK; i++)
        status = read_rank(&job->ranks[i], &messages.ranks[i], diag);
    if (status == FT_OK)
        status = match(job, &messages, diag);
    if (status == FT_OK)
        *ret_messages = messages;
    else
        ft_job_messages_fini(&messages);
    return status;
}

void ft_job_messages_fini(struct ft_job_messages *messages)
{
    for (size_t i = 0; messages->ranks && i < messages->rank_count; i++) {
        free(messages->ranks[i].items);
        free(messages->ranks[i].by_end);
    }
    free(messages->ranks);
    *messages = (struct ft_job_messages){0};
}
