/*
 * The grid of all ranks that captured runs made by MPI_Cart_create: how many directions, and what
 * divides the ranks among them: MPI_Dims_create, or exact laws over the parameters and ranks.
 */
#ifndef FT_PREDICT_RANKS_LAWS_RECORDED_GRID_H
#define FT_PREDICT_RANKS_LAWS_RECORDED_GRID_H

#include "predict/ranks/laws/shape_cases.h"

struct ft_recorded_grid {
    unsigned directions; /* 0: not all runs have one, or none of up to three directions */
    struct ft_grid_division division;
};

/* Of the first such grid of each run. FT_ERROR_DATA: there are grids, but no law divides ranks
 * among their directions, or not those of the target. */
int ft_recorded_grid_find(const struct ft_job_laws_task *task, struct ft_recorded_grid *ret_grid,
                          struct ft_diag *diag);

#endif
