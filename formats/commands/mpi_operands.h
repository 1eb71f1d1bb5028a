/*
 * What commands share that take the traces of the ranks of an MPI job.
 */
#ifndef FT_FORMATS_COMMANDS_MPI_OPERANDS_H
#define FT_FORMATS_COMMANDS_MPI_OPERANDS_H

#include "formats/cli/options.h"
#include "formats/trace/mpi_job.h"

struct ft_mpi_operands {
    struct ft_trace **traces; /* count */
    size_t count;
    struct ft_mpi_job job; /* resolved */
};

/* Opens all operands of a command. Without are_whole the command has --partial, which takes the
 * intact parts of truncated ones. */
int ft_mpi_operands_open(const struct ft_arguments *arguments, bool are_whole,
                         struct ft_mpi_operands *ret_operands, struct ft_diag *diag);
void ft_mpi_operands_close(struct ft_mpi_operands *operands);

#endif
