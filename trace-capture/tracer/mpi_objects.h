/*
 * Groups and files of MPI that a process has made, by the handles that the library gave: handles
 * are used again, so the latest with one is meant. Not thread safe.
 */
#ifndef FT_TRACE_CAPTURE_TRACER_MPI_OBJECTS_H
#define FT_TRACE_CAPTURE_TRACER_MPI_OBJECTS_H

#include "trace-capture/tracer/capture_state.h"

/* NULL: not known. */
const struct ft_mpi_object *ft_mpi_object_find(const struct ft_mpi_objects *objects,
                                               uint64_t handle);
/* Numbers one that was made, from `first` on; without memory it stays unknown. Returns its number.
 */
uint64_t ft_mpi_object_add(struct ft_mpi_objects *objects, uint64_t handle, uint64_t first,
                           uint64_t communicator);
void ft_mpi_objects_fini(struct ft_mpi_objects *objects);

#endif
