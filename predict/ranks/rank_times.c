/*
 * The n-th collective that a member makes in a communicator belongs to the n-th of every other
 * member: all collectives are sorted by communicator and number, and each set looks at its own.
 *
 * In order: messages; collectives; sums; the critical path; the module's functions.
 */
#include "predict/ranks/rank_times.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "formats/base/array.h"

/* ---- messages ---- */

/* The call waits for another rank's, as far as that begins later than what it waits for already.
 * One that begins behind its end, it did not need. */
static void wait_for(struct ft_call_time *time, uint32_t rank, size_t call, double start)
{
    if (start <= time->end && start - time->start > time->wait) {
        time->wait = start - time->start;
        time->of_rank = rank;
        time->of_call = call;
    }
}

/* Whether a message may end before its other end begins. */
static bool is_eager(const struct ft_mpi_rank *rank, const struct ft_rank_message *message,
                     uint64_t eager_limit_bytes)
{
    if (!message->base.is_sent || ft_rank_message_is_buffered(rank, message))
        return message->base.is_sent;
    return message->base.bytes < eager_limit_bytes &&
           !ft_mpi_call_is_synchronous(&rank->timeline.calls[message->base.call]);
}

/* What ends in a call waits for the call that starts its other end. */
static void add_message_waits(const struct ft_mpi_job *job, const struct ft_job_messages *messages,
                              uint64_t eager_limit_bytes, struct ft_job_times *times)
{
    for (size_t r = 0; r < times->rank_count; r++)
        for (size_t i = 0; i < messages->ranks[r].count; i++) {
            const struct ft_rank_message *message = &messages->ranks[r].items[i];
            if (!message->base.is_complete || message->other == FT_NO_MESSAGE ||
                is_eager(&job->ranks[r], message, eager_limit_bytes))
                continue;
            struct ft_call_time *time = &times->ranks[r].calls[message->base.completed];
            const size_t call = messages->ranks[message->peer].items[message->other].base.started;
            wait_for(time, message->peer, call, times->ranks[message->peer].calls[call].start);
        }
}

/* ---- collectives ---- */

struct member {
    uintptr_t group; /* of the communicator */
    size_t number;   /* of the collective in it */
    uint32_t rank;
    size_t call;
    bool is_root, has_root, gives; /* gives: the root to the others, or else they to it */
};

static int compare_members(const void *left, const void *right)
{
    const struct member *a = left, *b = right;
    if (a->group != b->group)
        return a->group < b->group ? -1 : 1;
    if (a->number != b->number)
        return a->number < b->number ? -1 : 1;
    return (a->rank > b->rank) - (a->rank < b->rank);
}

static int compare_groups(const void *left, const void *right)
{
    const struct member *a = left, *b = right;
    if (a->group != b->group)
        return a->group < b->group ? -1 : 1;
    return (a->call > b->call) - (a->call < b->call);
}

/* Of those that make communicators, and of files, as far as they were simulated. */
static bool is_collective(const struct ft_mpi_call *call, const struct ft_call_time *time)
{
    return call->function &&
           (call->function->class == FT_MPI_COLLECTIVE ||
            (call->function->class == FT_MPI_COMMUNICATOR && !isnan(time->start)) ||
            (call->function->class == FT_MPI_FILE && !isnan(time->start) &&
             ft_mpi_file_call_is_collective(call->name)));
}

static size_t count_collectives(const struct ft_mpi_job *job, const struct ft_job_times *times)
{
    size_t count = 0;
    for (size_t r = 0; r < job->rank_count; r++)
        for (size_t i = 0; i < job->ranks[r].timeline.count; i++)
            count += is_collective(&job->ranks[r].timeline.calls[i], &times->ranks[r].calls[i]);
    return count;
}

/* Of one rank, numbered in each communicator. */
static size_t list_members(const struct ft_mpi_rank *rank, const struct ft_rank_time *times,
                           uint32_t index, struct member *members)
{
    size_t count = 0;
    for (size_t i = 0; i < rank->timeline.count; i++) {
        const struct ft_mpi_call *call = &rank->timeline.calls[i];
        struct ft_mpi_collective collective;
        if (!is_collective(call, &times->calls[i]))
            continue;
        ft_mpi_collective_read(rank, call, &collective);
        if (ft_mpi_call_is_of_members(call)) /* which are those of the new one */
            ft_mpi_call_detail(&rank->timeline, call, FT_MPI_KEY_NEW_COMMUNICATOR, 0,
                               &collective.communicator);
        members[count++] = (struct member){
            .group = (uintptr_t)ft_mpi_group_at(&rank->communicators, collective.communicator),
            .rank = index,
            .call = i,
            .has_root = collective.has_root,
            .is_root = collective.is_root,
            .gives = strncmp(collective.name, "bcast", 5) == 0 ||
                     strncmp(collective.name, "scatter", 7) == 0};
    }
    qsort(members, count, sizeof *members, compare_groups);
    for (size_t i = 1; i < count; i++)
        if (members[i].group == members[i - 1].group)
            members[i].number = members[i - 1].number + 1;
    return count;
}

/* The members of one collective: a call that gets something waits for those that give it. */
static void add_waits_of(const struct member *members, size_t count, struct ft_job_times *times)
{
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < count; k++) {
            const struct member *to = &members[i], *from = &members[k];
            const bool needs = !to->has_root || (to->gives ? from->is_root : to->is_root);
            if (i != k && needs)
                wait_for(&times->ranks[to->rank].calls[to->call], from->rank, from->call,
                         times->ranks[from->rank].calls[from->call].start);
        }
}

/* Of collectives without a root the last one alone counts, for all. */
static void add_waits_for_last(const struct member *members, size_t count,
                               struct ft_job_times *times)
{
    const struct member *last = &members[0];
    for (size_t i = 1; i < count; i++)
        if (times->ranks[members[i].rank].calls[members[i].call].start >
            times->ranks[last->rank].calls[last->call].start)
            last = &members[i];
    const double start = times->ranks[last->rank].calls[last->call].start;
    for (size_t i = 0; i < count; i++)
        if (&members[i] != last)
            wait_for(&times->ranks[members[i].rank].calls[members[i].call], last->rank, last->call,
                     start);
}

static int add_collective_waits(const struct ft_mpi_job *job, struct ft_job_times *times,
                                struct ft_diag *diag)
{
    const size_t all = count_collectives(job, times);
    struct member *members = calloc(all + 1, sizeof *members);
    if (!members)
        return ft_fail_memory(diag, "the collectives of a job");
    size_t count = 0;
    for (size_t r = 0; r < job->rank_count; r++)
        count += list_members(&job->ranks[r], &times->ranks[r], (uint32_t)r, members + count);
    qsort(members, count, sizeof *members, compare_members);
    for (size_t first = 0, end; first < count; first = end) {
        for (end = first + 1; end < count && members[end].group == members[first].group &&
                              members[end].number == members[first].number;)
            end++;
        if (members[first].has_root)
            add_waits_of(members + first, end - first, times);
        else
            add_waits_for_last(members + first, end - first, times);
    }
    free(members);
    return FT_OK;
}

/* ---- sums ---- */

static void add_up(struct ft_rank_time *rank)
{
    double at = 0;
    for (size_t i = 0; i < rank->call_count; i++) {
        const struct ft_call_time *call = &rank->calls[i];
        if (isnan(call->start))
            continue;
        rank->computation += call->start - at - call->files;
        rank->files += call->files;
        rank->waiting += call->wait;
        rank->communication += call->end - call->start - call->wait;
        at = rank->end = call->end;
    }
}

static void add_up_all(struct ft_job_times *times)
{
    double sum = 0, max = 0;
    for (size_t r = 0; r < times->rank_count; r++) {
        add_up(&times->ranks[r]);
        times->seconds = fmax(times->seconds, times->ranks[r].end);
        max = fmax(max, times->ranks[r].computation);
        sum += times->ranks[r].computation;
    }
    times->imbalance = sum > 0 ? max / (sum / (double)times->rank_count) - 1 : 0;
}

/* ---- the critical path ---- */

/* Where a path is on its way back: in front of a call of a rank, at a time. */
struct place {
    uint32_t rank;
    size_t call;
    double time;
};

/* From `start` up to the place, which moves there. Neighbours in one rank become one segment. */
static int go_back(struct ft_job_times *times, struct place *place, double start,
                   struct ft_diag *diag)
{
    if (times->path_count && times->path[times->path_count - 1].rank == place->rank) {
        times->path[times->path_count - 1].start = start;
    } else {
        if (!FT_RESERVE(times->path, times->path_capacity, times->path_count + 1))
            return ft_fail_memory(diag, "the critical path");
        times->path[times->path_count++] =
            (struct ft_path_segment){place->rank, start, place->time};
    }
    place->time = start;
    return FT_OK;
}

/* Back over the call before the place, and the computation behind that call. */
static int pass_call(struct ft_job_times *times, struct place *place, struct ft_diag *diag)
{
    struct ft_rank_time *rank = &times->ranks[place->rank];
    size_t index = place->call;
    while (index > 0 && isnan(rank->calls[index - 1].start))
        index--;
    const double behind = index > 0 ? rank->calls[index - 1].end : 0;
    const double files = place->call < rank->call_count && !isnan(rank->calls[place->call].start)
                             ? rank->calls[place->call].files
                             : 0;
    rank->on_path += place->time - behind - files;
    times->path_computation += place->time - behind - files;
    times->path_files += files;
    FT_TRY(go_back(times, place, behind, diag));
    place->call = index > 0 ? index - 1 : 0;
    if (index == 0)
        return FT_OK;
    const struct ft_call_time *call = &rank->calls[index - 1];
    const double start = call->start + call->wait;
    times->path_communication += place->time - start;
    FT_TRY(go_back(times, place, start, diag));
    if (call->wait > 0) {
        place->rank = call->of_rank;
        place->call = call->of_call;
    }
    return FT_OK;
}

static int find_path(struct ft_job_times *times, struct ft_diag *diag)
{
    struct place place = {0};
    size_t steps = 1;
    for (size_t r = 0; r < times->rank_count; r++) {
        steps += times->ranks[r].call_count + 1;
        if (times->ranks[r].end > times->ranks[place.rank].end)
            place.rank = (uint32_t)r;
    }
    place.call = times->ranks[place.rank].call_count;
    place.time = times->ranks[place.rank].end;
    /* Each call is passed once: a call that is waited for begins behind the start of the one that
     * waits. */
    for (; steps > 0 && (place.call > 0 || place.time > 0); steps--)
        FT_TRY(pass_call(times, &place, diag));
    for (size_t i = 0; i < times->path_count / 2; i++) {
        const struct ft_path_segment segment = times->path[i];
        times->path[i] = times->path[times->path_count - 1 - i];
        times->path[times->path_count - 1 - i] = segment;
    }
    return FT_OK;
}

/* ---- the module's functions ---- */

int ft_job_times_init(const struct ft_mpi_job *job, struct ft_job_times *ret_times,
                      struct ft_diag *diag)
{
    struct ft_job_times times = {.ranks = calloc(job->rank_count + 1, sizeof *times.ranks),
                                 .rank_count = job->rank_count};
    bool is_there = times.ranks != NULL;
    for (size_t r = 0; is_there && r < job->rank_count; r++) {
        struct ft_rank_time *rank = &times.ranks[r];
        rank->call_count = job->ranks[r].timeline.count;
        rank->calls = calloc(rank->call_count + 1, sizeof *rank->calls);
        is_there = rank->calls != NULL;
        for (size_t i = 0; is_there && i < rank->call_count; i++)
            rank->calls[i] =
                (struct ft_call_time){.start = NAN, .end = NAN, .of_rank = FT_MPI_NO_RANK};
    }
    if (is_there) {
        *ret_times = times;
        return FT_OK;
    }
    ft_job_times_fini(&times);
    return ft_fail_memory(diag, "the times of ranks");
}

int ft_job_times_analyse(const struct ft_mpi_job *job, const struct ft_job_messages *messages,
                         uint64_t eager_limit_bytes, struct ft_job_times *times,
                         struct ft_diag *diag)
{
    add_message_waits(job, messages, eager_limit_bytes, times);
    FT_TRY(add_collective_waits(job, times, diag));
    add_up_all(times);
    return find_path(times, diag);
}

void ft_job_times_fini(struct ft_job_times *times)
{
    for (size_t i = 0; times->ranks && i < times->rank_count; i++)
        free(times->ranks[i].calls);
    free(times->ranks);
    free(times->path);
    *times = (struct ft_job_times){0};
}
