/*
 * The ranks of one MPI job, from their traces: the timeline of each, and whom the ranks in its
 * communicators are in MPI_COMM_WORLD. Communicators that MPI_Comm_dup, MPI_Comm_split and
 * MPI_Cart_create made are followed as far as the traces of their members are there; of others,
 * ranks stay those in the communicator.
 */
#ifndef FT_FORMATS_TRACE_MPI_JOB_H
#define FT_FORMATS_TRACE_MPI_JOB_H

#include "formats/trace/mpi_timeline.h"

#define FT_MPI_NO_RANK UINT32_MAX

struct ft_mpi_group;

struct ft_mpi_rank {
    const char *path; /* of its trace */
    uint32_t rank;
    bool is_whole; /* the trace has its end */
    struct ft_mpi_timeline timeline;
    struct ft_mpi_group **groups; /* [number of a communicator]; NULL: not known */
    size_t group_count, group_capacity;
};

struct ft_mpi_job {
    struct ft_mpi_rank *ranks; /* ascending */
    size_t rank_count, rank_capacity;
    uint32_t size; /* of MPI_COMM_WORLD */
    struct ft_mpi_group **groups;
    size_t group_count, group_capacity;
};

/* Adds a trace, whose path must outlive the job; the trace must, too. FT_ERROR_DATA where it has no
 * rank, or that of another, or was captured without MPI calls. */
int ft_mpi_job_add(struct ft_mpi_job *job, struct ft_trace *trace, struct ft_diag *diag);
/* Once all are added. */
int ft_mpi_job_resolve(struct ft_mpi_job *job, struct ft_diag *diag);
void ft_mpi_job_fini(struct ft_mpi_job *job);

/* The rank in MPI_COMM_WORLD of a rank in a communicator, both as the rank numbers them;
 * FT_MPI_NO_RANK: not known. */
uint32_t ft_mpi_world_rank(const struct ft_mpi_rank *rank, uint64_t communicator,
                           uint64_t rank_in_communicator);
/* What a rank gives to a collective and gets from it, as the arguments of its call have it: of
 * gathers and scatters the part of one rank, and of arguments that count at the root alone whatever
 * the call has. */
struct ft_mpi_collective {
    char name[24];         /* "bcast", of MPI_Ibcast as well */
    uint64_t communicator; /* 0: none */
    uint64_t sent_bytes, received_bytes;
    bool has_unknown_bytes;
    bool has_counts; /* these are sums of an array of counts, one for each rank */
    bool has_root, is_root;
    uint32_t root;      /* 0 without one; as own a rank in the communicator */
    uint32_t size, own; /* 0 and FT_MPI_NO_RANK: not known */
};
void ft_mpi_collective_read(const struct ft_mpi_rank *rank, const struct ft_mpi_call *call,
                            struct ft_mpi_collective *ret_collective);

/* A name for a communicator that is the same for all its members: "world", "self", "world.2" for
 * the second that was made of world, with ":0" behind it where it split; "(5)" where only the
 * rank's own number is known. */
void ft_mpi_communicator_name(const struct ft_mpi_rank *rank, uint64_t communicator, char *name,
                              size_t bytes);

#endif
