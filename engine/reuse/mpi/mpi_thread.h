/*
 * The thread that initialises MPI and makes all MPI calls while others work: initialisation takes a
 * few tenths of a second, mostly waiting. It takes one job at a time.
 */
#ifndef FT_ENGINE_REUSE_MPI_MPI_THREAD_H
#define FT_ENGINE_REUSE_MPI_MPI_THREAD_H

#include <stdbool.h>

#include "engine/reuse/mpi/ranks_module.h"
#include "formats/base/status.h"

struct ft_mpi_thread;
/* Starts to initialise MPI at once. The module must outlive the thread. */
int ft_mpi_thread_create(const struct ft_ranks_module *module, struct ft_mpi_thread **ret_thread,
                         struct ft_diag *diag);
/* Ends MPI, and the thread. */
void ft_mpi_thread_destroy(struct ft_mpi_thread *thread);
/* This rank and the number of ranks, once MPI is initialised. */
void ft_mpi_thread_numbers(struct ft_mpi_thread *thread, unsigned *ret_number, unsigned *ret_count);
/* Starts a job once the previous one is done; does not wait for it. */
void ft_mpi_thread_start(struct ft_mpi_thread *thread, void (*job)(void *context), void *context);
void ft_mpi_thread_wait(struct ft_mpi_thread *thread);
/* Whether the caller is this thread. */
bool ft_mpi_thread_is_mine(const struct ft_mpi_thread *thread);

#endif
