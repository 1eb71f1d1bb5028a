/*
 * The messages of all ranks of an MPI job, and which receive meets which send: those with the same
 * ends, communicator and tag, in order, as MPI has it.
 */
#ifndef FT_PREDICT_RANKS_RANK_MESSAGES_H
#define FT_PREDICT_RANKS_RANK_MESSAGES_H

#include "formats/trace/mpi_job.h"

#define FT_NO_MESSAGE SIZE_MAX

struct ft_rank_message {
    struct ft_mpi_message base;
    uint32_t peer; /* rank in MPI_COMM_WORLD; FT_MPI_NO_RANK: any, and which is not known */
    size_t other;  /* index of the message of the peer that it meets; FT_NO_MESSAGE: not known */
};

struct ft_rank_messages {
    struct ft_rank_message *items; /* in the order in which they start; none to nobody */
    size_t count, capacity;
    size_t *by_end; /* indices of those that are complete, by the call that completes them */
    size_t end_count;
};

struct ft_job_messages {
    struct ft_rank_messages *ranks; /* [index of a rank in the job] */
    size_t rank_count;
    size_t unknown; /* receives whose send is not known */
};

/* The job must have all its ranks. FT_ERROR_DATA names trace, rank and call where bytes or the
 * other end are not known, and where what one rank sends another does not receive: then traces of
 * two runs are mixed. */
int ft_job_messages_read(const struct ft_mpi_job *job, struct ft_job_messages *ret_messages,
                         struct ft_diag *diag);
void ft_job_messages_fini(struct ft_job_messages *messages);

/* Whether sending and receiving end with the call: else waits follow, in it or later. */
bool ft_mpi_call_blocks(const struct ft_mpi_call *call);
/* Whether what it sends ends only once it is being received: MPI_Ssend and the like. */
bool ft_mpi_call_is_synchronous(const struct ft_mpi_call *call);
/* Whether it is a send that waits for nobody, however long: MPI_Bsend and the like. */
bool ft_rank_message_is_buffered(const struct ft_mpi_rank *rank,
                                 const struct ft_rank_message *message);
/* Fails, naming the trace, the rank and the call. */
int ft_rank_fail_at(const struct ft_mpi_rank *rank, const struct ft_mpi_call *call,
                    const char *what, struct ft_diag *diag);

#endif
