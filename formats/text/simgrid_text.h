/*
 * The calls of an MPI job in the time-independent format that SimGrid replays (smpirun -replay, of
 * SimGrid 3.32): a line for each action of a rank. Computation is what a rank executes between its
 * calls, in instructions.
 *
 * SimGrid's replay knows MPI_COMM_WORLD alone: collectives of other communicators become messages
 * to and from one of its ranks.
 */
#ifndef FT_FORMATS_TEXT_SIMGRID_TEXT_H
#define FT_FORMATS_TEXT_SIMGRID_TEXT_H

#include <stdio.h>

#include "formats/trace/mpi_job.h"

/* The job must be resolved and have the traces of all its ranks. FT_ERROR_DATA names the rank and
 * call that cannot be replayed. */
int ft_simgrid_write(const struct ft_mpi_job *job, FILE *stream, struct ft_diag *diag);

#endif
