/*
 * Where the time of a simulated MPI job goes: what each rank computes, what its calls take, how
 * much of that is waiting for another rank, and the critical path.
 *
 * A call waits until the rank that it depends on begins the call that it needs: of a message its
 * other end, of a collective the last member, or its root. What is left of the call is
 * communication. The critical path goes back from the end of the last rank; where a call waited, it
 * goes on in the rank that was waited for. Times are in seconds from MPI_Init on.
 */
#ifndef FT_PREDICT_RANKS_RANK_TIMES_H
#define FT_PREDICT_RANKS_RANK_TIMES_H

#include "predict/ranks/rank_messages.h"

/* Of a call in a rank's timeline; start NAN: not one that was simulated. */
struct ft_call_time {
    double start, end;
    double files;     /* seconds of accesses of files before it, behind the call before */
    double wait;      /* of these seconds, from its start on */
    uint32_t of_rank; /* that it waited for; FT_MPI_NO_RANK: for none */
    size_t of_call;   /* that one's call */
};

struct ft_rank_time {
    struct ft_call_time *calls; /* [call of the timeline] */
    size_t call_count;
    double computation, communication, waiting, files; /* up to `end` */
    double end;                                        /* of its MPI_Finalize */
    double on_path;                                    /* its computation on the critical path */
};

struct ft_path_segment {
    uint32_t rank;
    double start, end;
};

struct ft_job_times {
    struct ft_rank_time *ranks; /* [index of a rank in the job] */
    size_t rank_count;
    double seconds;   /* up to the end of the last rank */
    double imbalance; /* computation: maximum over mean, less 1 */
    double path_computation, path_communication, path_files;
    struct ft_path_segment *path; /* from the start to the end; a segment is in one rank */
    size_t path_count, path_capacity;
};

/* All calls without times. */
int ft_job_times_init(const struct ft_mpi_job *job, struct ft_job_times *ret_times,
                      struct ft_diag *diag);
/* Once each call that was simulated has start and end. eager_limit_bytes: sends of fewer wait for
 * nobody. */
int ft_job_times_analyse(const struct ft_mpi_job *job, const struct ft_job_messages *messages,
                         uint64_t eager_limit_bytes, struct ft_job_times *times,
                         struct ft_diag *diag);
void ft_job_times_fini(struct ft_job_times *times);

#endif
