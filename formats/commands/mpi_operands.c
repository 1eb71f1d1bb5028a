#include "formats/commands/mpi_operands.h"

#include <stdlib.h>

#include "formats/commands/trace_operand.h"

int ft_mpi_operands_open(const struct ft_arguments *arguments, bool are_whole,
                         struct ft_mpi_operands *ret_operands, struct ft_diag *diag)
{
    struct ft_mpi_operands operands = {.count = ft_operand_count(arguments)};
    operands.traces = calloc(operands.count, sizeof(struct ft_trace *));
    int status = operands.traces ? FT_OK : ft_fail_memory(diag, "the traces");
    for (size_t i = 0; i < operands.count && status == FT_OK; i++) {
        status = are_whole ? ft_trace_open_named(ft_operands(arguments)[i], false,
                                                 &operands.traces[i], diag)
                           : ft_trace_open_operand_at(arguments, i, &operands.traces[i], diag);
        if (status == FT_OK)
            status = ft_mpi_job_add(&operands.job, operands.traces[i], diag);
    }
    if (status == FT_OK)
        status = ft_mpi_job_resolve(&operands.job, diag);
    if (status < 0)
        ft_mpi_operands_close(&operands);
    else
        *ret_operands = operands;
    return status;
}

void ft_mpi_operands_close(struct ft_mpi_operands *operands)
{
    ft_mpi_job_fini(&operands->job);
    for (size_t i = 0; operands->traces && i < operands->count; i++)
        ft_trace_close(operands->traces[i]);
    free(operands->traces);
}
