/*
 * Jobs of MPI that cannot go on, on a network or before: damaged or mixed traces, ranks that block
 * each other. Each is refused with the rank and the call.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/unit/simulated_job.h"

/* ---- before they are simulated ---- */

static void test_dead_rank(void)
{
    struct ft_diag diag = {0};
    struct ft_mpi_job job = make_job_of(0, 2);
    begin_all(&job);
    ADD_CALL(&job.ranks[0], "MPI_Finalize", 0);
    ADD_CALL(&job.ranks[1], "MPI_Barrier", FT_MPI_KEY_COMMUNICATOR, FT_MPI_WORLD);
    tap_ok(ft_job_check_whole(&job, &diag) == FT_ERROR_DATA && strstr(diag.message, "rank 1: died"),
           "%s", diag.message);
    ft_mpi_job_fini(&job);
}

/* Rank 1's trace is of another run, with another size, or other steps. */
static void test_mixed_runs(void)
{
    const uint64_t bytes[] = {1000, 2000, 1000};
    const char *const said[] = {NULL, "rank 1: MPI_Recv: more is sent",
                                "rank 0: MPI_Send: no rank"};
    for (unsigned i = 0; i < 3; i++) {
        struct ft_diag diag = {0};
        struct ft_job_messages messages = {0};
        struct ft_mpi_job job = make_job_of(0, 2);
        begin_all(&job);
        send_at(&job, 0, 1, bytes[i], 0);
        if (i < 2)
            receive_at(&job, 0, 1, 1000, 0);
        int status = read_messages(&job, &messages, &diag);
        tap_ok(said[i] ? status == FT_ERROR_DATA && strstr(diag.message, said[i]) : status == FT_OK,
               "mixed runs: %s", said[i] ? diag.message : "none");
        ft_job_messages_fini(&messages);
        ft_mpi_job_fini(&job);
    }
}

/* 2 GiB are the limit of what a rank has of a call, not of what all have. */
static void test_large_calls(void)
{
    static const struct {
        uint64_t bytes;
        const char *said;
    } cases[] = {{1500000000, NULL}, {2147483648, "rank 0: MPI_Bcast: 2 GiB or more"}};
    const struct ft_network network = crossbar();
    char *text = NULL;
    size_t bytes = 0;
    for (unsigned i = 0; i < 2; i++) {
        const double speeds[2] = {1 / SPEED, 1 / SPEED};
        struct ft_diag diag = {0};
        struct ft_job_messages messages = {0};
        struct ft_mpi_job job = make_job_of(0, 2);
        begin_all(&job);
        for (uint32_t r = 0; r < 2; r++) {
            ADD_CALL(&job.ranks[r], "MPI_Bcast", FT_MPI_KEY_COMMUNICATOR, FT_MPI_WORLD,
                     FT_MPI_KEY_ROOT, 2, FT_MPI_KEY_SENT_BYTES, cases[i].bytes);
            add_parts(&job.ranks[r], "MPI_Alltoallv", 700000000, 700000000);
        }
        FILE *stream = open_memstream(&text, &bytes);
        int status = read_messages(&job, &messages, &diag);
        if (status == FT_OK)
            status = ft_job_events_write(&job, &messages, speeds, &network, stream, &diag);
        tap_ok(cases[i].said ? status == FT_ERROR_DATA && strstr(diag.message, cases[i].said)
                             : status == FT_OK,
               "%llu bytes: %s", (unsigned long long)cases[i].bytes,
               status == FT_OK ? "simulated" : diag.message);
        (void)fclose(stream);
        free(text);
        ft_job_messages_fini(&messages);
        ft_mpi_job_fini(&job);
    }
}

/* ---- on the network ---- */

/* A call that SMPI refuses, as a damaged trace may have it, is none that takes no time. */
static void test_refused_call(void)
{
    const struct ft_network network = crossbar();
    struct ft_job_times times = {0};
    struct ft_mpi_job job = make_job_of(0, 2);
    begin_all(&job);
    for (uint32_t r = 0; r < 2; r++)
        ADD_CALL(&job.ranks[r], "MPI_Bcast", FT_MPI_KEY_COMMUNICATOR, FT_MPI_WORLD, FT_MPI_KEY_ROOT,
                 2 + 7, FT_MPI_KEY_SENT_BYTES, 1000);
    tap_ok(simulate(&job, &network, &times) == FT_ERROR_FAILURE, "a root beyond all ranks");
    ft_job_times_fini(&times);
    ft_mpi_job_fini(&job);
}

/* Both send before they receive: that only works up to the eager limit. */
static int exchange_blindly(const char *send, uint64_t bytes, struct ft_diag *diag)
{
    const struct ft_network network = crossbar();
    struct ft_job_times times = {0};
    struct ft_job_messages messages = {0};
    struct ft_mpi_job job = make_job_of(0, 2);
    const double speeds[2] = {1 / SPEED, 1 / SPEED};
    begin_all(&job);
    for (uint32_t r = 0; r < 2; r++) {
        send_at(&job, r, 1 - r, bytes, 0);
        job.ranks[r].timeline.calls[1].name = send;
        job.ranks[r].timeline.calls[1].function = ft_mpi_function_find(send);
        receive_at(&job, 1 - r, r, bytes, 0);
        ADD_CALL(&job.ranks[r], "MPI_Finalize", 0);
    }
    int status = read_messages(&job, &messages, diag);
    if (status == FT_OK)
        status = ft_job_times_init(&job, &times, diag);
    if (status == FT_OK)
        status = ft_network_run(getenv("NETWORK_PROGRAM"), &job, &messages, speeds, &network,
                                &times, diag);
    ft_job_messages_fini(&messages);
    ft_job_times_fini(&times);
    ft_mpi_job_fini(&job);
    return status;
}

static void test_deadlock(void)
{
    struct ft_diag diag = {0};
    tap_ok(exchange_blindly("MPI_Send", 1000, &diag) == FT_OK, "eager messages need no receiver");
    tap_ok(exchange_blindly("MPI_Bsend", 1000000, &diag) == FT_OK,
           "and buffered ones none, however long: %s", diag.message);
    tap_ok(exchange_blindly("MPI_Send", 1000000, &diag) == FT_ERROR_DATA &&
               strstr(diag.message, "trace: rank 0: waits for ever in MPI_Send"),
           "others do: %s", diag.message);
}

int main(void)
{
    test_dead_rank();
    test_mixed_runs();
    test_large_calls();
    if (!can_simulate())
        return tap_plan_done();
    test_refused_call();
    test_deadlock();
    return tap_plan_done();
}
