/*
 * An MPI job as text for the program that makes its calls on a simulated network
 * (foretrace-network): for each rank its computation, in seconds, and its calls.
 *
 *     ranks COUNT BYTES       BYTES: room that a buffer needs
 *     rank R                  then lines of it up to the next rank:
 *     compute SECONDS
 *     read BYTES SECONDS      of the file system, with its latency; write alike
 *     begin CALL ... end      what belongs to the call of this number in the rank's timeline
 *     init, finalize
 *     send C PEER TAG BYTES   ssend, recv alike
 *     isend M C PEER TAG BYTES, issend, irecv alike: M numbers the rank's messages
 *     wait M, drop M          what is sent without either ends before finalize does
 *     split C NEW COLOUR KEY  C numbers the rank's communicators: 1 the world, 2 itself
 *     group C NEW COUNT R...  likewise, made by these ranks alone, as the world numbers them
 *     barrier C               bcast C ROOT BYTES, ... as the functions of MPI have them
 *
 * PEER and TAG of -1: any. COLOUR of -1: undefined.
 */
#ifndef FT_PREDICT_RANKS_JOB_EVENTS_H
#define FT_PREDICT_RANKS_JOB_EVENTS_H

#include <stdio.h>

#include "machines/network/network.h"
#include "predict/ranks/rank_messages.h"

/* The job must have the traces of all its ranks. seconds_per_instruction: [index of a rank].
 * FT_ERROR_DATA names trace, rank and call that cannot be simulated. */
int ft_job_events_write(const struct ft_mpi_job *job, const struct ft_job_messages *messages,
                        const double *seconds_per_instruction, const struct ft_network *network,
                        FILE *stream, struct ft_diag *diag);

/* Whether every rank ran from MPI_Init to MPI_Finalize, and all ranks are there; FT_ERROR_DATA
 * names trace and rank. */
int ft_job_check_whole(const struct ft_mpi_job *job, struct ft_diag *diag);

#endif
