/*
 * The ranks of one MPI job that work on one command; rank 0 prints and writes. All ranks call the
 * same functions in the same order. MPI is initialised and called in a thread of its own
 * (mpi_thread.h), so that a rank can work in the meantime.
 */
#ifndef FT_ENGINE_REUSE_MPI_RANKS_H
#define FT_ENGINE_REUSE_MPI_RANKS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

#include "formats/base/status.h"

struct ft_ranks_module;
struct ft_mpi_thread;
struct ft_ranks {
    const struct ft_ranks_module *module; /* NULL: this process alone, without MPI */
    struct ft_mpi_thread *thread;
    unsigned number, count;
};

/* Initialises MPI, in the background if the launcher put rank and size into the environment.
 * Without a launcher there is one rank. FT_ERROR_UNSUPPORTED if foretrace was built without MPI. */
int ft_ranks_begin(struct ft_ranks *ranks, struct ft_diag *diag);
void ft_ranks_end(struct ft_ranks *ranks);

/* A non-blocking barrier that also checks that all ranks have the same text. */
struct ft_mpi_barrier_begin {
    struct ft_ranks *ranks;
    const char *text;
    int status;
    struct ft_diag diag;
    atomic_bool has_failed; /* may become true before the barrier is over */
};
/* status, diag: of this rank so far; text must stay valid until the end. Call nothing else on ranks
 * before the end. */
void ft_mpi_barrier(struct ft_mpi_barrier_begin *meeting, struct ft_ranks *ranks, int status,
                    const struct ft_diag *diag, const char *text);
/* Waits for the others. Every rank returns the failure of the lowest rank that failed;
 * FT_ERROR_USAGE if texts differ. */
int ft_mpi_barrier_end(struct ft_mpi_barrier_begin *meeting, struct ft_diag *diag);

/* Every rank returns the failure of the lowest rank that failed, or FT_OK. */
int ft_mpi_allreduce_status(const struct ft_ranks *ranks, int status, struct ft_diag *diag);

/* Blocks until the other rank receives or refuses it. */
void ft_ranks_send(const struct ft_ranks *ranks, unsigned to, const void *bytes, size_t size);
/* Receives one ft_ranks_send; the caller frees the bytes. */
int ft_ranks_receive(const struct ft_ranks *ranks, unsigned from, char **ret_bytes,
                     size_t *ret_size, struct ft_diag *diag);
/* Refuses one ft_ranks_send. */
void ft_ranks_refuse(const struct ft_ranks *ranks, unsigned from);

#endif
