/*
 * The ranks of one MPI job, from their traces: the timeline of each, and whom the ranks in its
 * communicators are in MPI_COMM_WORLD. Communicators are followed by the calls that made them, as
 * far as the traces of their members are there; of others, ranks stay those in the communicator.
 */
#ifndef FT_FORMATS_TRACE_MPI_JOB_H
#define FT_FORMATS_TRACE_MPI_JOB_H

#include "formats/trace/mpi_groups.h"

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
/* Whether a call makes a communicator of one that is known, whose members will be, too; the rank
 * itself need not be one of them. */
bool ft_mpi_call_is_followed(const struct ft_mpi_rank *rank, const struct ft_mpi_call *call);
/* Whether the members of the new one alone make it: MPI_Comm_create_group. */
bool ft_mpi_call_is_of_members(const struct ft_mpi_call *call);

/* Without directions where it is none, or not known. */
struct ft_mpi_grid ft_mpi_communicator_grid(const struct ft_mpi_rank *rank, uint64_t communicator);
/* Its number of ranks, 0: not known; and the rank itself there. */
uint32_t ft_mpi_communicator_size(const struct ft_mpi_rank *rank, uint64_t communicator);
uint32_t ft_mpi_communicator_rank(const struct ft_mpi_rank *rank, uint64_t communicator);

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
