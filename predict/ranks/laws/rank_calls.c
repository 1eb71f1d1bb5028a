/*
 * All calls of the timeline are gone through, so that requests are followed; those that talk to no
 * other rank, and tests that complete nothing, are left out.
 *
 * In order: requests; calls; the module's functions.
 */
#include "predict/ranks/laws/rank_calls.h"

#include <stdlib.h>
#include <string.h>

#include "formats/base/array.h"
#include "predict/ranks/rank_messages.h"

/* ---- requests ---- */

struct request {
    uint64_t handle;
    uint64_t number;
    bool is_persistent, is_used; /* by the call at hand */
};

struct reader {
    const struct ft_mpi_timeline *timeline;
    struct ft_rank_calls *calls;
    struct request *requests;
    size_t request_count, request_capacity;
};

static uint64_t free_number(const struct reader *reader)
{
    uint64_t number = 1;
    for (size_t i = 0; i < reader->request_count; i++)
        if (reader->requests[i].number == number) {
            number++;
            i = SIZE_MAX; /* from the first again */
        }
    return number;
}

static bool make_request(struct reader *reader, uint64_t handle, const char *function,
                         uint64_t *ret_number)
{
    if (!FT_RESERVE(reader->requests, reader->request_capacity, reader->request_count + 1))
        return false;
    *ret_number = free_number(reader);
    reader->requests[reader->request_count++] =
        (struct request){.handle = handle,
                         .number = *ret_number,
                         .is_persistent = strstr(function, "_init") != NULL};
    return true;
}

/* The first of that handle that the call has not named yet. */
static uint64_t use_request(struct reader *reader, uint64_t handle)
{
    for (size_t i = 0; i < reader->request_count; i++)
        if (reader->requests[i].handle == handle && !reader->requests[i].is_used) {
            reader->requests[i].is_used = true;
            return reader->requests[i].number;
        }
    return 0;
}

static void drop_request(struct reader *reader, uint64_t number, bool with_persistent)
{
    for (size_t i = 0; i < reader->request_count; i++)
        if (reader->requests[i].number == number &&
            (with_persistent || !reader->requests[i].is_persistent)) {
            memmove(&reader->requests[i], &reader->requests[i + 1],
                    (reader->request_count - i - 1) * sizeof *reader->requests);
            reader->request_count--;
            return;
        }
}

/* ---- calls ---- */

static unsigned class_of(const struct ft_mpi_call *call)
{
    return call->function ? call->function->class : FT_MPI_OTHER;
}

static bool is_kept(const struct reader *reader, const struct ft_mpi_call *call)
{
    uint64_t value;
    switch (class_of(call)) {
    case FT_MPI_POINT_TO_POINT:
    case FT_MPI_START:
    case FT_MPI_COLLECTIVE:
    case FT_MPI_COMMUNICATOR:
    case FT_MPI_FILE:
        return true;
    case FT_MPI_COMPLETION:
        return ft_mpi_call_detail(reader->timeline, call, FT_MPI_KEY_ALL_DONE, 0, &value) ||
               ft_mpi_call_detail(reader->timeline, call, FT_MPI_KEY_COMPLETED, 0, &value);
    default:
        return ft_mpi_call_is_init(call) || strcmp(call->name, "MPI_Finalize") == 0;
    }
}

/* The details of a call with its requests as numbers. */
static bool add_details(struct reader *reader, const struct ft_mpi_call *call)
{
    struct ft_rank_calls *calls = reader->calls;
    const char *name = call->function ? call->function->name : "";
    const bool makes = call->function && strchr(call->function->arguments, 'q') != NULL;
    const uint64_t *details = reader->timeline->details + call->first_detail;
    if (!FT_RESERVE(calls->details, calls->detail_capacity,
                    calls->detail_count + call->detail_count + 1))
        return false;
    for (size_t i = 0; i < reader->request_count; i++)
        reader->requests[i].is_used = false;
    for (size_t i = 0; i + 1 < call->detail_count; i += 2) {
        uint64_t value = details[i + 1];
        if (details[i] == FT_MPI_KEY_REQUEST && !makes)
            value = use_request(reader, value);
        else if (details[i] == FT_MPI_KEY_REQUEST && !make_request(reader, value, name, &value))
            return false;
        calls->details[calls->detail_count++] = details[i];
        calls->details[calls->detail_count++] = value;
    }
    return true;
}

/* What the call has completed or freed. */
static void end_requests(struct reader *reader, const struct ft_rank_call *call)
{
    const struct ft_rank_calls *calls = reader->calls;
    const bool frees = call->function && strcmp(call->function->name, "Request_free") == 0;
    uint64_t position, number;
    if (frees || ft_rank_call_detail(calls, call, FT_MPI_KEY_ALL_DONE, 0, &position)) {
        for (size_t i = 0; ft_rank_call_detail(calls, call, FT_MPI_KEY_REQUEST, i, &number); i++)
            drop_request(reader, number, frees);
        return;
    }
    for (size_t i = 0; ft_rank_call_detail(calls, call, FT_MPI_KEY_COMPLETED, i, &position); i++)
        if (ft_rank_call_detail(calls, call, FT_MPI_KEY_REQUEST, position, &number))
            drop_request(reader, number, false);
}

static int add_call(struct reader *reader, const struct ft_mpi_call *call, uint64_t *at,
                    struct ft_diag *diag)
{
    struct ft_rank_calls *calls = reader->calls;
    struct ft_rank_call kept = {.name = call->name,
                                .function = call->function,
                                .instructions = call->instructions - *at,
                                .first_detail = calls->detail_count};
    if (!call->function && !ft_mpi_is_local(call->name))
        return ft_rank_fail_at(calls->rank, call,
                               "a call that is known by name only cannot be forecast", diag);
    if (!FT_RESERVE(calls->items, calls->capacity, calls->count + 1) || !add_details(reader, call))
        return ft_fail_memory(diag, "the calls of a rank");
    kept.detail_count = calls->detail_count - kept.first_detail;
    ft_rank_call_detail(calls, &kept, FT_MPI_KEY_COMMUNICATOR, 0, &kept.communicator);
    if (call->function)
        end_requests(reader, &kept);
    if (is_kept(reader, call)) {
        calls->items[calls->count++] = kept;
        *at = call->instructions;
    } else {
        calls->detail_count = kept.first_detail;
    }
    return FT_OK;
}

/* ---- the module's functions ---- */

int ft_rank_calls_read(const struct ft_mpi_rank *rank, struct ft_rank_calls *ret_calls,
                       struct ft_diag *diag)
{
    struct ft_rank_calls calls = {.rank = rank};
    struct reader reader = {.timeline = &rank->timeline, .calls = &calls};
    uint64_t at = 0;
    int status = FT_OK;
    for (size_t i = 0; i < rank->timeline.count && status == FT_OK; i++)
        status = add_call(&reader, &rank->timeline.calls[i], &at, diag);
    calls.tail_instructions = rank->timeline.instructions - at;
    free(reader.requests);
    if (status == FT_OK)
        *ret_calls = calls;
    else
        ft_rank_calls_fini(&calls);
    return status;
}

void ft_rank_calls_fini(struct ft_rank_calls *calls)
{
    free(calls->items);
    free(calls->details);
    *calls = (struct ft_rank_calls){0};
}

bool ft_rank_call_detail(const struct ft_rank_calls *calls, const struct ft_rank_call *call,
                         uint64_t key, size_t index, uint64_t *ret_value)
{
    return ft_mpi_detail_find(calls->details + call->first_detail, call->detail_count, key, index,
                              ret_value);
}
