/*
 * Messages and collectives on simulated networks, against closed forms: what messages take by
 * latency, bandwidth and overhead, on each topology; collectives by their algorithms.
 */
#include <math.h>
#include <stdio.h>

#include "tests/unit/simulated_job.h"

enum { STEPS = 5 };

/* ---- messages ---- */

static void pass(struct ft_mpi_job *job, uint32_t from, uint32_t to, uint64_t bytes)
{
    send_at(job, from, to, bytes, job->ranks[from].timeline.instructions);
    receive_at(job, from, to, bytes, job->ranks[to].timeline.instructions);
}

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

int main(void)
{
    if (!can_simulate())
        return tap_plan_done();
    test_ping_pong();
    test_topologies();
    test_to_itself();
    test_any_source();
    test_contention();
    test_halo();
    test_freed_request();
    test_allreduce();
    test_in_place();
    test_communicators();
    return tap_plan_done();
}
