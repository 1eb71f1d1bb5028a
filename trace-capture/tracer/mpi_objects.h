/*
 * What a process has made by MPI, by the handles that the library gave: handles are used again, so
 * the latest with one is meant. Not thread safe.
 */
#ifndef FT_TRACE_CAPTURE_TRACER_MPI_OBJECTS_H
#define FT_TRACE_CAPTURE_TRACER_MPI_OBJECTS_H

#include "trace-capture/tracer/capture_state.h"

/* NULL: not known. Good until the next is added. */
struct ft_mpi_object *ft_mpi_object_find(const struct ft_mpi_objects *objects, uint64_t handle);
/* Whatever had the handle before; NULL: out of memory, and it stays unknown. */
struct ft_mpi_object *ft_mpi_object_add(struct ft_mpi_objects *objects, uint64_t handle,
                                        uint64_t number);
void ft_mpi_objects_fini(struct ft_mpi_objects *objects);

#endif
