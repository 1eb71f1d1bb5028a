/*
 * The thread that starts MPI and makes all of its calls, while others work: starting takes a few
 * tenths of a second, mostly of waiting. Jobs are given to it one at a time.
 */
#ifndef FT_ENGINE_REUSE_MPI_MPI_THREAD_H
#define FT_ENGINE_REUSE_MPI_MPI_THREAD_H

#include <stdbool.h>

#include "engine/reuse/mpi/ranks_module.h"
#include "formats/base/status.h"

struct ft_mpi_thread;
/* Begins at once to start MPI. module: stays the caller's. */
int ft_mpi_thread_create(const struct ft_ranks_module *module, struct ft_mpi_thread **ret_thread,
                         struct ft_diag *diag);
/* Ends MPI, and the thread. */
void ft_mpi_thread_destroy(struct ft_mpi_thread *thread);
/* As MPI says, once it has started. */
void ft_mpi_thread_numbers(struct ft_mpi_thread *thread, unsigned *ret_number, unsigned *ret_count);
/* Hands in a job, once the one before is done; returns without waiting for it. */
void ft_mpi_thread_start(struct ft_mpi_thread *thread, void (*job)(void *context), void *context);
void ft_mpi_thread_wait(struct ft_mpi_thread *thread);
/* Whether it is the caller. */
bool ft_mpi_thread_is_mine(const struct ft_mpi_thread *thread);

#endif
