/*
 * What the arguments of MPI calls mean: counts and datatypes become bytes, handles of communicators
 * numbers, ranks and tags the same for all libraries (formats/trace/mpi_functions.h). It knows the
 * handles, constants and status layouts of Open MPI and of MPICH's ABI (MPICH, Intel MPI, MVAPICH).
 * Derived datatypes and communicators are known by the calls that made them.
 */
#ifndef FT_TRACE_CAPTURE_TRACER_MPI_ARGUMENTS_H
#define FT_TRACE_CAPTURE_TRACER_MPI_ARGUMENTS_H

#include "trace-capture/tracer/mpi_reading.h"

/* The call begins, with the arguments in registers in call->arguments: adds those on the stack, and
 * gives what all of them say. */
void ft_mpi_read_arguments(struct ft_thread *thread, ft_mpi_detail_sink *sink, void *context);
/* It has returned with success: gives what it has stored. */
void ft_mpi_read_results(struct ft_thread *thread, ft_mpi_detail_sink *sink, void *context);

#endif
