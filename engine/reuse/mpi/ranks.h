/*
 * The processes of one MPI job that work at one command, each called a rank; rank 0 is the one
 * that prints and writes. All of them call the same functions in the same order. MPI is started and
 * called in a thread of its own (mpi_thread.h), so that a rank may work while it starts.
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

/* Starts MPI. Where the launcher has left number and count in the environment, it goes on starting
 * while the caller works. Without mpirun or the like it is one rank. FT_ERROR_UNSUPPORTED where
 * foretrace was built without it. */
int ft_ranks_begin(struct ft_ranks *ranks, struct ft_diag *diag);
void ft_ranks_end(struct ft_ranks *ranks);

/* Whether all ranks came so far, and with the same text, is found out while the caller goes on. */
struct ft_mpi_barrier_begin {
    struct ft_ranks *ranks;
    const char *text;
    int status;
    struct ft_diag diag;
    atomic_bool has_failed; /* before it is over, too */
};
/* status, diag: of this rank so far; text: up to the end. Nothing else is called on ranks before
 * the end. */
void ft_mpi_barrier(struct ft_mpi_barrier_begin *meeting, struct ft_ranks *ranks, int status,
                    const struct ft_diag *diag, const char *text);
/* Waits for the others. The failure of the first rank that has one is that of all; FT_ERROR_USAGE
 * where a text differs. */
int ft_mpi_barrier_end(struct ft_mpi_barrier_begin *meeting, struct ft_diag *diag);

/* The failure of the first rank that has one becomes that of all; FT_OK where none has. */
int ft_mpi_allreduce_status(const struct ft_ranks *ranks, int status, struct ft_diag *diag);

/* Waits until the other takes it, or refuses it. */
void ft_ranks_send(const struct ft_ranks *ranks, unsigned to, const void *bytes, size_t size);
/* What one ft_ranks_send sends, to be freed. */
int ft_ranks_receive(const struct ft_ranks *ranks, unsigned from, char **ret_bytes,
                     size_t *ret_size, struct ft_diag *diag);
/* Does without what one ft_ranks_send sends. */
void ft_ranks_refuse(const struct ft_ranks *ranks, unsigned from);

#endif
