/*
 * Makes the calls of an MPI job on a simulated network: SimGrid's MPI, in a program of its own that
 * is started as a child.
 */
#ifndef FT_PREDICT_RANKS_NETWORK_RUN_H
#define FT_PREDICT_RANKS_NETWORK_RUN_H

#include <limits.h>

#include "machines/network/network.h"
#include "predict/ranks/rank_times.h"

/* The version of SimGrid that foretrace was built with; NULL: without. */
const char *ft_network_simgrid_version(void);

/* That program. FT_ERROR_UNSUPPORTED without SimGrid: the message says what to install. */
int ft_network_find_program(char ret_path[PATH_MAX], struct ft_diag *diag);

/* seconds_per_instruction: [index of a rank]. Sets start and end of all calls that take part, of
 * times that were initialised. FT_ERROR_DATA names trace, rank and call that never ends on the
 * network. */
int ft_network_run(const char *program, const struct ft_mpi_job *job,
                   const struct ft_job_messages *messages, const double *seconds_per_instruction,
                   const struct ft_network *network, struct ft_job_times *times,
                   struct ft_diag *diag);

#endif
