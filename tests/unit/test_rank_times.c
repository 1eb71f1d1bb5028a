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
    network.topology = FT_TOPOLOGY_DRAGONFLY;
    network.levels[0] = (struct ft_network_level){.parts = 2, .links = 1};
    network.levels[1] = (struct ft_network_level){.parts = 1, .links = 1};
    network.levels[2] = (struct ft_network_level){.parts = 4, .links = 1};
    network.levels[3] = (struct ft_network_level){.parts = 1};
    network.level_count = 4;
    /* within a group three links; to the other one over router 1, and back over router 0 */
    is_near(token_round(&network, 8, 1000), 8 * transfer + (6 * 3 + 4 + 5) * LATENCY,
            "a ring on a dragonfly of 2 groups");
    network = crossbar();
    network.ranks_per_host = 2;
    network.host = (struct ft_network_link){100, 1e-9 * 4 * BANDWIDTH};
    is_near(token_round(&network, 4, 1000),
            2 * (1e-7 + transfer / 4) + 2 * (2 * LATENCY + transfer), "two ranks a host");
}

/* What a rank sends to itself is on no link, and takes no time unless `host` says otherwise. */
static void test_to_itself(void)
{
    struct ft_network network = crossbar();
    for (unsigned i = 0; i < 4; i++) {
        struct ft_mpi_job job = make_job_of(0, 2);
        network.topology = i % 2 ? FT_TOPOLOGY_TORUS : FT_TOPOLOGY_CROSSBAR;
        network.level_count = 1;
        network.levels[0].parts = 2;
        if (i == 2)
            network.host = (struct ft_network_link){100, 1e-9 * BANDWIDTH};
        begin_all(&job);
        pass(&job, 0, 0, 1000);
        pass(&job, 0, 1, 1000);
        const double between = LATENCY * (network.topology == FT_TOPOLOGY_TORUS ? 1 : 2);
        const double within = i < 2 ? (1000 + ENVELOPE) / 1e15 : 1e-7 + TRANSFER(1000);
        is_near(time_of(&job, &network), within + between + TRANSFER(1000),
                i < 2 ? "a message to oneself at once" : "as host has it");
    }
}

/* From any source, which the trace does not tell: the first one that comes. */
static void test_any_source(void)
{
    const struct ft_network network = crossbar();
    struct ft_job_times times = {0};
    struct ft_mpi_job job = make_job_of(0, 3);
    begin_all(&job);
    send_at(&job, 1, 0, 1000, 9000);
    send_at(&job, 2, 0, 1000, 4000);
    for (unsigned i = 0; i < 2; i++)
        ADD_CALL(&job.ranks[0], "MPI_Recv", FT_MPI_KEY_COMMUNICATOR, FT_MPI_WORLD,
                 FT_MPI_KEY_RECEIVED_BYTES, 1000, FT_MPI_KEY_SOURCE, FT_MPI_ANY,
                 FT_MPI_KEY_RECEIVED_TAG, 1);
    const bool is_simulated = simulate(&job, &network, &times) == FT_OK;
    const double transfer = 2 * LATENCY + TRANSFER(1000);
    if (tap_ok(is_simulated, "receives from any source")) {
        is_near(times.ranks[0].calls[1].end, 4e-6 + transfer, "what comes first");
        is_near(times.ranks[0].calls[2].end, 9e-6 + transfer, "and what comes then");
    }
    ft_job_times_fini(&times);
    ft_mpi_job_fini(&job);
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

/* As their details say it: the parts of each rank. */
static void add_parts(struct ft_mpi_rank *rank, const char *name, uint64_t sent, uint64_t received)
{
    uint64_t details[16] = {FT_MPI_KEY_COMMUNICATOR, FT_MPI_WORLD};
    size_t count = 2;
    for (unsigned i = 0; i < 2 && sent; i++) {
        details[count++] = FT_MPI_KEY_SENT_PART;
        details[count++] = sent;
    }
    if (sent) {
        details[count++] = FT_MPI_KEY_SENT_BYTES;
        details[count++] = 2 * sent;
    }
    for (unsigned i = 0; i < 2; i++) {
        details[count++] = FT_MPI_KEY_RECEIVED_PART;
        details[count++] = received;
    }
    details[count++] = FT_MPI_KEY_RECEIVED_BYTES;
    details[count++] = 2 * received;
    add_call_at(rank, 0, name, details);
}

/* What is in place is as long under way as what is not: its call has no bytes to send. */
static void test_in_place(void)
{
    static const char *const names[] = {"MPI_Alltoallv", "MPI_Allgatherv"};
    const struct ft_network network = crossbar();
    for (unsigned i = 0; i < 2; i++) {
        struct ft_mpi_job job = make_job_of(0, 2);
        begin_all(&job);
        add_parts(&job.ranks[0], names[i], 0, 1000000);
        add_parts(&job.ranks[1], names[i], 0, 1000000);
        is_near(time_of(&job, &network), 2 * LATENCY + TRANSFER(1000000), names[i]);
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
        int status = ft_mpi_job_resolve(&job, &diag);
        if (status == FT_OK)
            status = ft_job_messages_read(&job, &messages, &diag);
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

/* In communicators of their own, odd and even ranks at the same time. */
static void test_communicators(void)
{
    const struct ft_network network = crossbar();
    struct ft_job_times times = {0};
    struct ft_mpi_job job = make_job_of(0, 4);
    begin_all(&job);
    for (uint32_t r = 0; r < 4; r++) {
        const uint64_t after = r == 3 ? 20000 : 0;
        add_call_at(&job.ranks[r], after, "MPI_Comm_split",
                    (uint64_t[]){FT_MPI_KEY_COMMUNICATOR, FT_MPI_WORLD, FT_MPI_KEY_COLOUR,
                                 1 + r % 2, FT_MPI_KEY_ORDER, 0, FT_MPI_KEY_NEW_COMMUNICATOR, 3,
                                 0});
        add_call_at(&job.ranks[r], after, "MPI_Barrier",
                    (uint64_t[]){FT_MPI_KEY_COMMUNICATOR, FT_MPI_WORLD, 0});
        add_call_at(&job.ranks[r], after, "MPI_Allreduce",
                    (uint64_t[]){FT_MPI_KEY_COMMUNICATOR, 3, FT_MPI_KEY_SENT_BYTES, 1000, 0});
    }
    const int status = simulate(&job, &network, &times);
    for (uint32_t r = 0; status == FT_OK && r < 2; r++) {
        const struct ft_call_time *one = &times.ranks[r].calls[3];
        const struct ft_call_time *other = &times.ranks[r + 2].calls[3];
        is_near(fmax(one->end, other->end) - fmax(one->start, other->start),
                2 * LATENCY + TRANSFER(1000), "allreduce among two of four ranks");
    }
    if (status == FT_OK)
        is_near(times.ranks[0].calls[1].wait, 20e-6, "the split waits for the last member");
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

/* A send whose request was freed arrives all the same, and MPI_Finalize waits for that. */
static void test_freed_request(void)
{
    const struct ft_network network = crossbar();
    struct ft_mpi_job job = make_job_of(0, 2);
    begin_all(&job);
    add_call_at(&job.ranks[0], 0, "MPI_Isend",
                (uint64_t[]){FT_MPI_KEY_COMMUNICATOR, FT_MPI_WORLD, FT_MPI_KEY_SENT_BYTES, 1000000,
                             FT_MPI_KEY_DESTINATION, 3, FT_MPI_KEY_SENT_TAG, 1, FT_MPI_KEY_REQUEST,
                             7, 0});
    ADD_CALL(&job.ranks[0], "MPI_Request_free", FT_MPI_KEY_REQUEST, 7);
    receive_at(&job, 0, 1, 1000000, 5000);
    is_near(time_of(&job, &network), 5e-6 + 2 * LATENCY + TRANSFER(1000000), "a freed request");
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
    test_large_calls();
    if (!program || !program[0]) {
        tap_ok(true, "the network # SKIP SimGrid (package libsimgrid-dev) is not there");
        return tap_plan_done();
    }
    test_ping_pong();
    test_topologies();
    test_to_itself();
    test_any_source();
    test_contention();
    test_halo();
    test_allreduce();
    test_in_place();
    test_communicators();
    test_waiting();
    test_late_member();
    test_freed_request();
    test_refused_call();
    test_files();
    test_deadlock();
    return tap_plan_done();
}
