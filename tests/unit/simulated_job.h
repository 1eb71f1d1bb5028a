/*
 * Jobs of MPI on a simulated network, whose calls are written down: what makes them, and their
 * times. A message takes LATENCY on each of its links, and TRANSFER(bytes).
 */
#ifndef FT_TESTS_UNIT_SIMULATED_JOB_H
#define FT_TESTS_UNIT_SIMULATED_JOB_H

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "predict/ranks/job_events.h"
#include "predict/ranks/network_run.h"
#include "tests/support/tap.h"
#include "tests/unit/made_job.h"

#define LATENCY_NS      1000
#define LATENCY         1e-6
#define BANDWIDTH       1e9
#define SPEED           1e9 /* instructions per second */
#define ENVELOPE        16  /* bytes that SMPI adds to a message */
#define TRANSFER(bytes) (((double)(bytes) + ENVELOPE) / BANDWIDTH)

/* False, and said: SimGrid is not there. */
static inline bool can_simulate(void)
{
    const char *program = getenv("NETWORK_PROGRAM");
    const bool can = program && program[0];
    if (!can)
        tap_ok(true, "the network # SKIP SimGrid (package libsimgrid-dev) is not there");
    return can;
}

/* ---- networks and jobs ---- */

static inline struct ft_network crossbar(void)
{
    return (struct ft_network){.name = (char *)"made",
                               .collectives = (char *)"ompi",
                               .ranks_per_host = 1,
                               .link = {LATENCY_NS, 1e-9 * BANDWIDTH},
                               .eager_limit_bytes = 10000};
}

static inline void begin_all(struct ft_mpi_job *job)
{
    for (size_t r = 0; r < job->rank_count; r++)
        ADD_CALL(&job->ranks[r], "MPI_Init", 0);
}

static inline void send_at(struct ft_mpi_job *job, uint32_t from, uint32_t to, uint64_t bytes,
                           uint64_t instructions)
{
    add_call_at(&job->ranks[from], instructions, "MPI_Send",
                (uint64_t[]){FT_MPI_KEY_COMMUNICATOR, FT_MPI_WORLD, FT_MPI_KEY_SENT_BYTES, bytes,
                             FT_MPI_KEY_DESTINATION, 2 + to, FT_MPI_KEY_SENT_TAG, 1, 0});
}

static inline void receive_at(struct ft_mpi_job *job, uint32_t from, uint32_t to, uint64_t bytes,
                              uint64_t instructions)
{
    add_call_at(&job->ranks[to], instructions, "MPI_Recv",
                (uint64_t[]){FT_MPI_KEY_COMMUNICATOR, FT_MPI_WORLD, FT_MPI_KEY_RECEIVED_BYTES,
                             bytes, FT_MPI_KEY_SOURCE, 2 + from, FT_MPI_KEY_RECEIVED_TAG, 1, 0});
}

/* A collective of two ranks with the parts of each. */
static inline void add_parts(struct ft_mpi_rank *rank, const char *name, uint64_t sent,
                             uint64_t received)
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

/* ---- times ---- */

/* The messages of a job, as far as its calls fit together. */
static inline int read_messages(struct ft_mpi_job *job, struct ft_job_messages *messages,
                                struct ft_diag *diag)
{
    const int status = ft_mpi_job_resolve(job, diag);
    return status == FT_OK ? ft_job_messages_read(job, messages, diag) : status;
}

/* Once MPI_Finalize is added to all ranks. */
static inline int simulate(struct ft_mpi_job *job, const struct ft_network *network,
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
    int status = ft_job_check_whole(job, &diag);
    if (status == FT_OK)
        status = read_messages(job, &messages, &diag);
    if (status == FT_OK)
        status = ft_job_times_init(job, ret_times, &diag);
    if (status == FT_OK)
        status = ft_network_run(getenv("NETWORK_PROGRAM"), job, &messages, speeds, network,
                                ret_times, &diag);
    if (status == FT_OK)
        status = ft_job_times_analyse(job, &messages, network->eager_limit_bytes, ret_times, &diag);
    ft_job_messages_fini(&messages);
    if (status != FT_OK)
        printf("# %s\n", diag.message);
    return status;
}

/* The job's time; the job is given up. */
static inline double time_of(struct ft_mpi_job *job, const struct ft_network *network)
{
    struct ft_job_times times = {0};
    const double seconds = simulate(job, network, &times) == FT_OK ? times.seconds : NAN;
    ft_job_times_fini(&times);
    ft_mpi_job_fini(job);
    return seconds;
}

static inline void is_near(double seconds, double expected, const char *what)
{
    tap_ok(fabs(seconds - expected) <= 1e-6 * expected + 1e-15, "%s: %.9g s, expected %.9g", what,
           seconds, expected);
}

#endif
