/*
 * What a job's ranks call, one line a call; and the laws of the calls of a program as a table.
 */
#ifndef FT_PREDICT_COMMANDS_RANKS_LAWS_REPORT_H
#define FT_PREDICT_COMMANDS_RANKS_LAWS_REPORT_H

#include <stdio.h>

#include "machines/commands/report_options.h"
#include "predict/ranks/laws/job_laws.h"

/* "rank 0 at 1234 MPI_Isend communicator=1 destination=1 ...", with requests as numbers, so that
 * captured and forecast calls are comparable. */
int ft_rank_calls_print(const struct ft_mpi_job *job, FILE *stream, struct ft_diag *diag);

int ft_job_laws_print(const struct ft_job_laws *laws, enum ft_report_form form, FILE *stream,
                      struct ft_diag *diag);

#endif
