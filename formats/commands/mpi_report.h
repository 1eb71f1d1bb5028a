/*
 * The MPI calls of traces as they are shown: one trace's in their order, and those of all ranks of
 * a job summed up by function, communicator and peer.
 */
#ifndef FT_FORMATS_COMMANDS_MPI_REPORT_H
#define FT_FORMATS_COMMANDS_MPI_REPORT_H

#include "formats/cli/json.h"
#include "formats/cli/options.h"
#include "formats/trace/mpi_job.h"

/* A line for each call: "thread 0 at 1234 MPI_Send communicator=1 destination=1 ..."; with json
 * an object a line. */
int ft_mpi_calls_print(struct ft_trace *trace, bool json, FILE *stream, struct ft_diag *diag);

/* " destination=1 tag=0 ...": pairs of a key and a value, `count` numbers. */
void ft_mpi_details_print(const uint64_t *details, size_t count, FILE *stream);

/* The job whose ranks' traces are the command's operands: tables, CSV of the second one, or JSON.
 */
int ft_mpi_job_print(const struct ft_arguments *arguments, bool csv, bool json, FILE *stream,
                     struct ft_diag *diag);

#endif
