/*
 * Laws of all calls of a program over its sizes and ranks, from runs at several of them, and from
 * these the job at a size and with ranks that never ran. Calls must follow a Cartesian grid of
 * ranks, divided as MPI_Dims_create does, or no grid at all: laws are exact, and what has none is
 * refused with what it is.
 */
#ifndef FT_PREDICT_RANKS_LAWS_JOB_LAWS_H
#define FT_PREDICT_RANKS_LAWS_JOB_LAWS_H

#include "predict/ranks/laws/shape_cases.h"

/* The runs must outlive the laws. FT_ERROR_DATA says what has no law and why. */
int ft_job_laws_learn(const struct ft_job_laws_task *task, struct ft_job_laws *ret_laws,
                      struct ft_diag *diag);
void ft_job_laws_fini(struct ft_job_laws *laws);

/* The job, resolved; its names are the runs'. */
int ft_job_laws_forecast(const struct ft_job_laws *laws, const struct ft_rank_size *size,
                         struct ft_mpi_job *ret_job, struct ft_diag *diag);

#endif
