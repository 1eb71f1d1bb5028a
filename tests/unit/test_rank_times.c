/*
 * The time of ranks on a simulated network, against closed forms: who waits for whom, the critical
 * path, and accesses of files.
 */
#include <math.h>
#include <stdlib.h>

#include "tests/unit/simulated_job.h"

/* ---- who waits ---- */

/* Rank 1 computes 10 us, sends to rank 0, which computes 1 us and waits; then rank 0 20 us more. */
static void test_waiting(void)
{
    const struct ft_network network = crossbar();
    struct ft_job_times times = {0};
    struct ft_mpi_job job = make_job_of(0, 2);
    begin_all(&job);
    send_at(&job, 1, 0, 1000, 10000);
    receive_at(&job, 1, 0, 1000, 1000);
    job.ranks[0].timeline.instructions = 21000;
    if (simulate(&job, &network, &times) != FT_OK) {
        tap_ok(false, "a late sender");
    } else {
        const double transfer = 2 * LATENCY + TRANSFER(1000);
        is_near(times.ranks[0].waiting, 9e-6, "waits for the sender");
        is_near(times.ranks[0].communication, transfer, "and then for the message");
        is_near(times.ranks[0].computation, 21e-6, "computes");
        is_near(times.imbalance, 21.0 / 15.5 - 1, "load imbalance");
        is_near(times.path_computation, 30e-6, "computation on the critical path");
        is_near(times.path_communication, transfer, "communication on it");
        is_near(times.ranks[1].on_path, 10e-6, "of the sender");
        tap_ok(times.path_count == 2 && times.path[0].rank == 1 && times.path[1].rank == 0,
               "the path goes from the sender to the receiver: %zu segments", times.path_count);
        is_near(times.path[1].end - times.path[0].start, times.seconds, "and takes all the time");
    }
    ft_job_times_fini(&times);
    ft_mpi_job_fini(&job);
}

/* All wait in an allreduce for the last one. */
static void test_late_member(void)
{
    const struct ft_network network = crossbar();
    struct ft_job_times times = {0};
    struct ft_mpi_job job = make_job_of(0, 4);
    begin_all(&job);
    for (uint32_t r = 0; r < 4; r++)
        add_call_at(
            &job.ranks[r], r == 2 ? 50000 : 1000 * r, "MPI_Allreduce",
            (uint64_t[]){FT_MPI_KEY_COMMUNICATOR, FT_MPI_WORLD, FT_MPI_KEY_SENT_BYTES, 8, 0});
    if (simulate(&job, &network, &times) == FT_OK) {
        is_near(times.ranks[0].waiting, 50e-6, "rank 0 waits for rank 2");
        is_near(times.ranks[3].waiting, 47e-6, "and so does rank 3");
        is_near(times.path_computation, 50e-6, "whose computation is the critical path");
        tap_ok(times.ranks[2].waiting == 0 && times.path[0].rank == 2, "it begins in rank 2");
    } else {
        tap_ok(false, "a late member");
    }
    ft_job_times_fini(&times);
    ft_mpi_job_fini(&job);
}

/* ---- files ---- */

#define STORAGE_LATENCY 1e-4
#define READ_BANDWIDTH  4e9
#define WRITE_BANDWIDTH 2e9

static void access_file(struct ft_mpi_rank *rank, bool writes, uint64_t bytes, uint64_t at)
{
    struct ft_mpi_timeline *timeline = &rank->timeline;
    if (!FT_RESERVE(timeline->accesses, timeline->access_capacity, timeline->access_count + 1))
        abort();
    timeline->accesses[timeline->access_count++] =
        (struct ft_file_access){.writes = writes, .bytes = bytes, .instructions = at};
}

/* Before the allreduce at 50000 instructions, which begins where all have written. */
static int simulate_files(bool has_storage, uint32_t ranks, uint32_t writers, bool writes,
                          struct ft_job_times *times)
{
    struct ft_network network = crossbar();
    struct ft_mpi_job job = make_job_of(0, ranks);
    if (has_storage)
        network.storage = (struct ft_network_storage){1e9 * STORAGE_LATENCY, 1e-9 * READ_BANDWIDTH,
                                                      1e-9 * WRITE_BANDWIDTH};
    begin_all(&job);
    for (uint32_t r = 0; r < ranks; r++) {
        if (r < writers)
            access_file(&job.ranks[r], writes, 8000000, 20000);
        add_call_at(
            &job.ranks[r], 50000, "MPI_Allreduce",
            (uint64_t[]){FT_MPI_KEY_COMMUNICATOR, FT_MPI_WORLD, FT_MPI_KEY_SENT_BYTES, 8, 0});
    }
    const int status = simulate(&job, &network, times);
    ft_mpi_job_fini(&job);
    return status;
}

static void test_files(void)
{
    struct ft_job_times times = {0};
    tap_ok(simulate_files(true, 4, 1, true, &times) == FT_OK, "one rank writes");
    const double alone = STORAGE_LATENCY + 8e6 / WRITE_BANDWIDTH;
    is_near(times.ranks[0].files, alone, "takes latency and transfer");
    is_near(times.ranks[0].computation, 50e-6, "besides its computation");
    is_near(times.ranks[1].waiting, alone, "for which the others wait");
    is_near(times.path_files, alone, "on the critical path");
    is_near(times.path_computation, 50e-6, "with the computation around it");
    is_near(times.path_computation + times.path_communication + times.path_files, times.seconds,
            "and communication, all the time");
    ft_job_times_fini(&times);
    tap_ok(simulate_files(true, 4, 4, true, &times) == FT_OK, "four ranks write");
    is_near(times.ranks[3].files, STORAGE_LATENCY + 4 * 8e6 / WRITE_BANDWIDTH,
            "and share the bandwidth");
    is_near(times.ranks[3].waiting, 0, "none waits");
    ft_job_times_fini(&times);
    tap_ok(simulate_files(true, 2, 2, false, &times) == FT_OK, "two ranks read");
    is_near(times.ranks[1].files, STORAGE_LATENCY + 2 * 8e6 / READ_BANDWIDTH,
            "as fast as reads are");
    ft_job_times_fini(&times);
    tap_ok(simulate_files(false, 4, 4, true, &times) == FT_OK, "without storage");
    is_near(times.ranks[0].files, 0, "files take no time");
    is_near(times.ranks[0].computation, 50e-6, "computation does");
    ft_job_times_fini(&times);
}

int main(void)
{
    if (!can_simulate())
        return tap_plan_done();
    test_waiting();
    test_late_member();
    test_files();
    return tap_plan_done();
}
