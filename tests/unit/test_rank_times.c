/*
 * Jobs of MPI on simulated networks, against closed forms: what messages take by latency, bandwidth
 * and overhead, on each topology; collectives by their algorithms; who waits for whom, and the
 * critical path.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "predict/ranks/job_events.h"
#include "predict/ranks/network_run.h"
#include "tests/support/tap.h"
#include "tests/unit/made_job.h"

enum { STEPS = 5, LATENCY_NS = 1000 };
#define LATENCY         1e-6
#define BANDWIDTH       1e9
#define SPEED           1e9 /* instructions per second */
#define ENVELOPE        16  /* bytes that SMPI adds to a message */
#define TRANSFER(bytes) (((double)(bytes) + ENVELOPE) / BANDWIDTH)

static const char *program; /* that simulates; NULL: SimGrid is not there */

/* ---- networks and jobs ---- */

static struct ft_network crossbar(void)
{
    return (struct ft_network){.name = (char *)"made",
                               .collectives = (char *)"ompi",
                               .ranks_per_host = 1,
                               .link = {LATENCY_NS, 1e-9 * BANDWIDTH},
                               .eager_limit_bytes = 10000};
}

static void begin_rank(struct ft_mpi_rank *rank)
{
    ADD_CALL(rank, "MPI_Init", 0);
}

static void begin_all(struct ft_mpi_job *job)
{
    for (size_t r = 0; r < job->rank_count; r++)
        begin_rank(&job->ranks[r]);
}

static void send_at(struct ft_mpi_job *job, uint32_t from, uint32_t to, uint64_t bytes,
                    uint64_t instructions)
{
    add_call_at(&job->ranks[from], instructions, "MPI_Send",
                (uint64_t[]){FT_MPI_KEY_COMMUNICATOR, FT_MPI_WORLD, FT_MPI_KEY_SENT_BYTES, bytes,
                             FT_MPI_KEY_DESTINATION, 2 + to, FT_MPI_KEY_SENT_TAG, 1, 0});
}

static void receive_at(struct ft_mpi_job *job, uint32_t from, uint32_t to, uint64_t bytes,
                       uint64_t instructions)
{
    add_call_at(&job->ranks[to], instructions, "MPI_Recv",
                (uint64_t[]){FT_MPI_KEY_COMMUNICATOR, FT_MPI_WORLD, FT_MPI_KEY_RECEIVED_BYTES,
                             bytes, FT_MPI_KEY_SOURCE, 2 + from, FT_MPI_KEY_RECEIVED_TAG, 1, 0});
}

static void pass(struct ft_mpi_job *job, uint32_t from, uint32_t to, uint64_t bytes)
{
    send_at(job, from, to, bytes, job->ranks[from].timeline.instructions);
    receive_at(job, from, to, bytes, job->ranks[to].timeline.instructions);
}

static int simulate(struct ft_mpi_job *job, const struct ft_network *network,
                    struct ft_job_times *ret_times)
{
    struct ft_diag diag = {0};
    struct ft_job_messages messages = {0};
    double speeds[64];
    for (size_t r = 0; r < job->rank_count; r++) {
        speeds[r] = 1 / SPEED;
        add_call_at(&job->ranks[r], job->ranks[r].timeline.instructions, "MPI_Finalize",
                    (uint64_t[]){0});
    }
    int status = ft_mpi_job_resolve(job, &diag);
    if (status == FT_OK)
        status = ft_job_check_whole(job, &diag);
    if (status == FT_OK)
        status = ft_job_messages_read(job, &messages, &diag);
    if (status == FT_OK)
        status = ft_job_times_init(job, ret_times, &diag);
    if (status == FT_OK)
        status = ft_network_run(program, job, &messages, speeds, network, ret_times, &diag);
    if (status == FT_OK)
        status = ft_job_times_analyse(job, &messages, network->eager_limit_bytes, ret_times, &diag);
    ft_job_messages_fini(&messages);
    if (status != FT_OK)
        printf("# %s\n", diag.message);
    return status;
}

static void is_near(double seconds, double expected, const char *what)
{
    tap_ok(fabs(seconds - expected) <= 1e-6 * expected + 1e-15, "%s: %.9g s, expected %.9g", what,
           seconds, expected);
}

/* The job's time; the job is given up. */
static double time_of(struct ft_mpi_job *job, const struct ft_network *network)
{
    struct ft_job_times times = {0};
    const double seconds = simulate(job, network, &times) == FT_OK ? times.seconds : NAN;
    ft_job_times_fini(&times);
    ft_mpi_job_fini(job);
    return seconds;
}

/* ---- messages ---- */

static void test_ping_pong(void)
{
    const uint64_t sizes[] = {1, 5000, 1000000};
    struct ft_network network = crossbar();
    char what[64];
    for (unsigned i = 0; i < 3; i++) {
        struct ft_mpi_job job = make_job_of(0, 2);
        begin_all(&job);
        for (int step = 0; step < STEPS; step++) {
            pass(&job, 0, 1, sizes[i]);
            pass(&job, 1, 0, sizes[i]);
        }
        snprintf(what, sizeof what, "ping-pong of %d bytes", (int)sizes[i]);
        is_near(time_of(&job, &network), 2 * STEPS * (2 * LATENCY + TRANSFER(sizes[i])), what);
    }
    struct ft_mpi_job job = make_job_of(0, 2);
    begin_all(&job);
    pass(&job, 0, 1, 1000);
    pass(&job, 1, 0, 1000);
    network.send_ns = 300;
    network.receive_ns = 500;
    is_near(time_of(&job, &network), 2 * (2 * LATENCY + TRANSFER(1000) + 800e-9),
            "ping-pong with overheads");
}

/* A token that is passed from rank to rank, on each topology: links between neighbours. */
static double token_round(const struct ft_network *network, uint32_t ranks, uint64_t bytes)
{
    struct ft_mpi_job job = make_job_of(0, ranks);
    begin_all(&job);
    for (uint32_t r = 0; r < ranks; r++)
        pass(&job, r, (r + 1) % ranks, bytes);
    return time_of(&job, network);
}

static void test_topologies(void)
{
    const double transfer = TRANSFER(1000);
    struct ft_network network = crossbar();
    is_near(token_round(&network, 8, 1000), 8 * (2 * LATENCY + transfer), "a ring on a crossbar");
    network.topology = FT_TOPOLOGY_TORUS;
    network.level_count = 1;
    network.levels[0].parts = 8;
    is_near(token_round(&network, 8, 1000), 8 * (LATENCY + transfer), "a ring on a torus of 8");
    network.level_count = 2;
    network.levels[0].parts = 4;
    network.levels[1].parts = 4;
    /* along rows one link, and two at the end of each: around the row, and to the next one */
    is_near(token_round(&network, 16, 1000), 16 * transfer + (12 + 4 * 2) * LATENCY,
            "a ring on a torus of 4 x 4");
    network.topology = FT_TOPOLOGY_FAT_TREE;
    network.levels[0] = (struct ft_network_level){4, 1, 1};
    network.levels[1] = (struct ft_network_level){2, 1, 1};
    /* below one switch two links, between the two switches two more */
    is_near(token_round(&network, 8, 1000), 8 * transfer + (6 * 2 + 2 * 4) * LATENCY,
            "a ring on a fat tree of 2 x 4");
    network = crossbar();
    network.ranks_per_host = 2;
    network.host = (struct ft_network_link){100, 1e-9 * 4 * BANDWIDTH};
    is_near(token_round(&network, 4, 1000),
            2 * (1e-7 + transfer / 4) + 2 * (2 * LATENCY + transfer), "two ranks a host");
}

/* Two senders share the receiver's link. */
static void test_contention(void)
{
    struct ft_network network = crossbar();
    struct ft_mpi_job job = make_job_of(0, 3);
    begin_all(&job);
    send_at(&job, 1, 0, 1000000, 0);
    send_at(&job, 2, 0, 1000000, 0);
    for (uint64_t from = 1; from < 3; from++)
        add_call_at(&job.ranks[0], 0, "MPI_Irecv",
                    (uint64_t[]){FT_MPI_KEY_COMMUNICATOR, FT_MPI_WORLD, FT_MPI_KEY_RECEIVED_BYTES,
                                 1000000, FT_MPI_KEY_SOURCE, 2 + from, FT_MPI_KEY_RECEIVED_TAG, 1,
                                 FT_MPI_KEY_REQUEST, from, 0});
    ADD_CALL(&job.ranks[0], "MPI_Waitall", FT_MPI_KEY_REQUEST, 1, FT_MPI_KEY_REQUEST, 2,
             FT_MPI_KEY_ALL_DONE, 1);
    is_near(time_of(&job, &network), 2 * LATENCY + 2 * TRANSFER(1000000),
            "two messages over one link");
}

static void start(struct ft_mpi_rank *rank, bool sends, uint64_t peer, uint64_t tag,
                  uint64_t request)
{
    add_call_at(rank, rank->timeline.instructions, sends ? "MPI_Isend" : "MPI_Irecv",
                (uint64_t[]){FT_MPI_KEY_COMMUNICATOR, FT_MPI_WORLD,
                             sends ? FT_MPI_KEY_SENT_BYTES : FT_MPI_KEY_RECEIVED_BYTES, 5000,
                             sends ? FT_MPI_KEY_DESTINATION : FT_MPI_KEY_SOURCE, 2 + peer,
                             sends ? FT_MPI_KEY_SENT_TAG : FT_MPI_KEY_RECEIVED_TAG, 1 + tag,
                             FT_MPI_KEY_REQUEST, request, 0});
}

/* A periodic halo exchange in one direction: each rank sends to two, over one link, and computes
 * 10 us between. */
static void test_halo(void)
{
    const struct ft_network network = crossbar();
    const uint32_t ranks = 4;
    struct ft_mpi_job job = make_job_of(0, ranks);
    begin_all(&job);
    for (unsigned step = 0; step < STEPS; step++)
        for (uint32_t r = 0; r < ranks; r++) {
            struct ft_mpi_rank *rank = &job.ranks[r];
            const uint32_t before = (r + ranks - 1) % ranks, after = (r + 1) % ranks;
            start(rank, false, before, 0, 1);
            start(rank, false, after, 1, 2);
            start(rank, true, after, 0, 3);
            start(rank, true, before, 1, 4);
            ADD_CALL(rank, "MPI_Waitall", FT_MPI_KEY_REQUEST, 1, FT_MPI_KEY_REQUEST, 2,
                     FT_MPI_KEY_REQUEST, 3, FT_MPI_KEY_REQUEST, 4, FT_MPI_KEY_ALL_DONE, 1);
            rank->timeline.calls[rank->timeline.count - 1].instructions = 10000 * step;
            rank->timeline.instructions = (uint64_t)10000 * (step + 1);
        }
    is_near(time_of(&job, &network), STEPS * (10e-6 + 2 * LATENCY + 2 * TRANSFER(5000)),
            "a halo exchange");
}

/* ---- collectives ---- */

/* Open MPI's allreduce of few bytes doubles the distance: all send and receive in each round. */
static void test_allreduce(void)
{
    const struct ft_network network = crossbar();
    for (uint32_t ranks = 2, rounds = 1; ranks <= 8; ranks *= 2, rounds++) {
        struct ft_mpi_job job = make_job_of(0, ranks);
        char what[64];
        begin_all(&job);
        for (uint32_t r = 0; r < ranks; r++)
            ADD_CALL(&job.ranks[r], "MPI_Allreduce", FT_MPI_KEY_COMMUNICATOR, FT_MPI_WORLD,
                     FT_MPI_KEY_SENT_BYTES, 1000);
        snprintf(what, sizeof what, "allreduce of %u ranks", (unsigned)ranks);
        is_near(time_of(&job, &network), rounds * (2 * LATENCY + TRANSFER(1000)), what);
    }
}

/* In communicators of their own, odd and even ranks at the same time. */
static void test_communicators(void)
{
    const struct ft_network network = crossbar();
    struct ft_job_times times = {0};
    struct ft_mpi_job job = make_job_of(0, 4);
    begin_all(&job);
    for (uint32_t r = 0; r < 4; r++) {
        ADD_CALL(&job.ranks[r], "MPI_Comm_split", FT_MPI_KEY_COMMUNICATOR, FT_MPI_WORLD,
                 FT_MPI_KEY_COLOUR, 1 + r % 2, FT_MPI_KEY_ORDER, 0, FT_MPI_KEY_NEW_COMMUNICATOR, 3);
        ADD_CALL(&job.ranks[r], "MPI_Barrier", FT_MPI_KEY_COMMUNICATOR, FT_MPI_WORLD);
        ADD_CALL(&job.ranks[r], "MPI_Allreduce", FT_MPI_KEY_COMMUNICATOR, 3, FT_MPI_KEY_SENT_BYTES,
                 1000);
    }
    const int status = simulate(&job, &network, &times);
    for (uint32_t r = 0; status == FT_OK && r < 2; r++) {
        const struct ft_call_time *one = &times.ranks[r].calls[3];
        const struct ft_call_time *other = &times.ranks[r + 2].calls[3];
        is_near(fmax(one->end, other->end) - fmax(one->start, other->start),
                2 * LATENCY + TRANSFER(1000), "allreduce among two of four ranks");
    }
    tap_ok(status == FT_OK, "a communicator that a split made");
    ft_job_times_fini(&times);
    ft_mpi_job_fini(&job);
}

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

static void access_file(struct ft_mpi_rank *rank, bool writes, uint64_t bytes, uint64_t at)
{
    struct ft_mpi_timeline *timeline = &rank->timeline;
    if (!FT_RESERVE(timeline->accesses, timeline->access_capacity, timeline->access_count + 1))
        abort();
    timeline->accesses[timeline->access_count++] =
        (struct ft_file_access){.writes = writes, .bytes = bytes, .instructions = at};
}

#define STORAGE_LATENCY 1e-4
#define READ_BANDWIDTH  4e9
#define WRITE_BANDWIDTH 2e9

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

/* ---- what cannot go on ---- */

/* Both send before they receive: that only works up to the eager limit. */
static int exchange_blindly(uint64_t bytes, struct ft_diag *diag)
{
    const struct ft_network network = crossbar();
    struct ft_job_times times = {0};
    struct ft_job_messages messages = {0};
    struct ft_mpi_job job = make_job_of(0, 2);
    const double speeds[2] = {1 / SPEED, 1 / SPEED};
    begin_all(&job);
    for (uint32_t r = 0; r < 2; r++) {
        send_at(&job, r, 1 - r, bytes, 0);
        receive_at(&job, 1 - r, r, bytes, 0);
        ADD_CALL(&job.ranks[r], "MPI_Finalize", 0);
    }
    int status = ft_mpi_job_resolve(&job, diag);
    if (status == FT_OK)
        status = ft_job_messages_read(&job, &messages, diag);
    if (status == FT_OK)
        status = ft_job_times_init(&job, &times, diag);
    if (status == FT_OK)
        status = ft_network_run(program, &job, &messages, speeds, &network, &times, diag);
    ft_job_messages_fini(&messages);
    ft_job_times_fini(&times);
    ft_mpi_job_fini(&job);
    return status;
}

static void test_deadlock(void)
{
    struct ft_diag diag = {0};
    tap_ok(exchange_blindly(1000, &diag) == FT_OK, "eager messages need no receiver");
    tap_ok(exchange_blindly(1000000, &diag) == FT_ERROR_DATA &&
               strstr(diag.message, "trace: rank 0: waits for ever in MPI_Send"),
           "others do: %s", diag.message);
}

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
        int status = ft_mpi_job_resolve(&job, &diag);
        if (status == FT_OK)
            status = ft_job_messages_read(&job, &messages, &diag);
        tap_ok(said[i] ? status == FT_ERROR_DATA && strstr(diag.message, said[i]) : status == FT_OK,
               "mixed runs: %s", said[i] ? diag.message : "none");
        ft_job_messages_fini(&messages);
        ft_mpi_job_fini(&job);
    }
}

int main(void)
{
    program = getenv("NETWORK_PROGRAM");
    test_dead_rank();
    test_mixed_runs();
    if (!program || !program[0]) {
        tap_ok(true, "the network # SKIP SimGrid (package libsimgrid-dev) is not there");
        return tap_plan_done();
    }
    test_ping_pong();
    test_topologies();
    test_contention();
    test_halo();
    test_allreduce();
    test_communicators();
    test_waiting();
    test_late_member();
    test_files();
    test_deadlock();
    return tap_plan_done();
}
